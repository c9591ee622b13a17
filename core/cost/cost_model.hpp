#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/cost/score_memo.hpp"
#include "core/mapping/loop_order_batch.hpp"

namespace zz::core {

struct CostModelOptions {
  /// An input that stays the same for consecutive cycles is read once
  /// ("access_same_data_considered_as_no_access").
  bool same_data_free = true;
  /// What is loaded or off-loaded once may use cycles of its port that the computation leaves free. ZigZag
  /// does so since 3.8; before, all of it came on top of the computation.
  bool loading_uses_spare_cycles = true;
  bool zigzag_compat = false;  ///< reproduce defects, docs/deviations.md
};

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

  /// The whole evaluation of one temporal mapping. Throws InputError when it is not one of this layer,
  /// NoResult when it moves partial sums through a memory that has no port for them. `deviations`, when
  /// given, receives a sentence for each place where the result was corrected against ZigZag's (never with
  /// zigzag_compat).
  Evaluation evaluate(std::shared_ptr<const TemporalMapping> mapping,
                      std::vector<std::string>* deviations = nullptr) const;

  using Score = core::Score;
  Score score(const CompactMapping& mapping) const;
  /// The same; costs that the memo knows are not computed again. The memo must serve this model alone.
  Score score(const CompactMapping& mapping, ScoreMemo& memo) const;

  /// Turns a readable mapping into the compact form of this layer; throws InputError naming what is wrong.
  CompactMapping compact(const TemporalMapping& mapping) const;

 private:
  class Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace zz::core
