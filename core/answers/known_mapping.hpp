#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/temporal/mapping_check.hpp"
#include "core/store/result_store.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A pair of spatial and temporal mapping that is known from one accelerator and tried on another.
struct KnownMapping {
  SpatialUnrolling unrolling;
  CompactMapping mapping;
};

/// True when an optimum, and its `second`, are proven up to that gap, or no limit kept the second from it.
bool is_finished(const JointOptimum& optimum, double gap);

/// An optimum as a store keeps it, which a search with these limits found.
StoredAnswer stored_answer(const JointOptimum& optimum, const SearchLimits& limits);
/// The pair in StoredAnswer::mapping. Throws InputError for other text.
KnownMapping known_mapping(const std::string& text);
/// The same text with the pair alone, for whoever takes it as an answer to another question. Throws as
/// known_mapping().
std::string pair_alone(const std::string& text);
/// True where these limits, by text_of(), cut the search for a StoredAnswer::mapping off, which would not
/// have ended before `gap` either: parts of a search that end at a larger gap go no further.
bool is_cut_off_by(const std::string& text, const std::string& limits, double gap);

/// The optimum of a stored answer, without its `bounds`. Its pairs are costed anew: throws InputError or
/// NoResult where they are none of this layer, do not fit, or do not cost what the answer says, and where
/// the answer lacks what was asked for (JointOptions::within).
JointOptimum known_optimum(const StoredAnswer& answer, const Layer& layer,
                           const std::shared_ptr<const Accelerator>& accelerator,
                           const JointOptions& options);

/// A known pair of one layer, made ready to be tried on accelerators that differ in nothing but costs,
/// sizes that limit no unrolling, and widths of ports of memories that are not next to the array. [any]
class TriedMapping {
 public:
  /// `accelerator`: one of these. Throws InputError or NoResult where the pair is none of the layer and the
  /// array.
  TriedMapping(const KnownMapping& known, const Layer& layer,
               const std::shared_ptr<const Accelerator>& accelerator, const CostModelOptions& model);

  /// The value of the objective there; infinite where the searches would not have the pair: it does not
  /// fit, by their own rule of room (MappingCheck), or lacks a port.
  double value(const std::shared_ptr<const Accelerator>& accelerator, Objective objective) const;
  /// All of its figures. Throws NoResult or InputError where value() is infinite.
  Score score(const std::shared_ptr<const Accelerator>& accelerator) const;
  const KnownMapping& known() const { return known_; }
  /// The layer under the pair's unrolling.
  const MappingProblem& problem() const { return problem_; }

 private:
  KnownMapping known_;
  MappingProblem problem_;
  std::vector<MappingCheck::Room> rooms_;
};

/// A known pair with the same unrolling and the same order of loops, cut to the sizes of the accelerator as
/// LOMA cuts orders; nullptr where they do not fit.
std::shared_ptr<const TriedMapping> cut_anew(const KnownMapping& known, const Layer& layer,
                                             const std::shared_ptr<const Accelerator>& accelerator,
                                             const CostModelOptions& model);

}  // namespace zz::core
