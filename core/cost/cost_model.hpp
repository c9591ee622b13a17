#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/score.hpp"
#include "core/mapping/compact_mapping.hpp"

namespace zz::core {

/// ZigZag's analytical model of energy and latency for one layer, accelerator and spatial mapping.
/// Everything that does not depend on the temporal mapping is tabulated once, in the constructor.
/// (L. Mei et al.: ZigZag, IEEE TC 2021; latency: L. Mei et al., A Uniform Latency Model, DATE 2022.)
///
/// Threads: const functions may be called concurrently.
class CostModel {
 public:
  /// Throws InputError when the layer does not fit the accelerator: an operand without memory, a
  /// transfer without a port, more levels than the tables hold.
  CostModel(std::shared_ptr<const Accelerator> accelerator, std::shared_ptr<const Layer> layer,
            std::shared_ptr<const SpatialMapping> spatial_mapping,
            std::shared_ptr<const SpatialMapping> spatial_mapping_int, const CostModelOptions& options);
  ~CostModel();
  CostModel(CostModel&&) noexcept;

  /// The whole evaluation of one temporal mapping. Throws InputError when it is not one of this layer, or
  /// when the result breaks a rule of audit(), NoResult when it moves partial sums through a memory that
  /// has no port for them.
  Evaluation evaluate(std::shared_ptr<const TemporalMapping> mapping) const;

  /// The figures of a mapping that searches compare. BoundaryTable gives the same several times faster for
  /// the orders of one set of loops.
  Score score(const CompactMapping& mapping) const;

  /// Turns a readable mapping into the compact form of this layer; throws InputError naming what is wrong,
  /// as tiles that are shared (Memory::shared_tiles) and end at different loops.
  CompactMapping compact(const TemporalMapping& mapping) const;

  /// The latency of a mapping and what of it was corrected.
  Latency latency(const CompactMapping& mapping) const;

  // Everything that the costs of boundaries follow from (core/cost/boundary_cost.hpp, score.hpp).
  const CostTables& tables() const;
  const Boundaries& boundaries() const;
  const CostModelOptions& options() const;

 private:
  class State;
  std::unique_ptr<const State> state_;
};

}  // namespace zz::core
