#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/evaluation.hpp"
#include "core/cost/score.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/parallel_for.hpp"

namespace zz::core {

class BestOrderSearch;
class LinkTables;
class SharedScores;

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
  /// True for a layer of the same work (same_work()) in an equal unrolling, to be run on the same
  /// accelerator: whatever is asked of its model has the same answer.
  bool has_work_of(const Layer& layer, const SpatialMapping& spatial_mapping,
                   const SpatialMapping& spatial_mapping_int) const;
  /// The model of such a layer, with which it shares its tables.
  CostModel(const CostModel& like, std::shared_ptr<const Layer> layer,
            std::shared_ptr<const SpatialMapping> spatial_mapping,
            std::shared_ptr<const SpatialMapping> spatial_mapping_int);
  ~CostModel();
  CostModel(CostModel&&) noexcept;

  /// The whole evaluation of one temporal mapping. Throws InputError when it is not one of this layer,
  /// NoResult when it moves partial sums through a memory that has no port for them. `deviations`, when
  /// given, receives a sentence for each place where the result was corrected against ZigZag's (never with
  /// zigzag_compat).
  Evaluation evaluate(std::shared_ptr<const TemporalMapping> mapping,
                      std::vector<std::string>* deviations = nullptr) const;

  /// The same where the evaluation of an equal mapping is known, by this model or by one that it shares its
  /// tables with.
  Evaluation evaluate_like(const Evaluation& known, std::shared_ptr<const TemporalMapping> mapping) const;

  using Score = core::Score;
  Score score(const CompactMapping& mapping) const;

  /// Tables that make scoring the orders of a lattice several times faster. They refer to this model.
  std::unique_ptr<LinkTables> link_tables(std::shared_ptr<const LoopLattice> lattice) const;
  /// The same scores; `links` must be of this model, and the mapping an order of its lattice, with kinds.
  Score score(const CompactMapping& mapping, LinkTables& links) const;
  /// As link_tables(); and orders that must cost the same are scored once.
  std::unique_ptr<SharedScores> shared_scores(std::shared_ptr<const LoopLattice> lattice) const;
  Score score(const CompactMapping& mapping, SharedScores& shared) const;

  /// Answers the question, if it can: with the orders that evaluating each would give, most of which are
  /// left out because a bound says that they cannot be among the best. See BestOrderSearch.
  /// Large ones are shared out to the threads; the answer is the same.
  void search(BestOrderSearch& question, const Threads& threads = {}) const;

  /// Turns a readable mapping into the compact form of this layer; throws InputError naming what is wrong.
  CompactMapping compact(const TemporalMapping& mapping) const;

 private:
  class Tables;

  void say_what_was_evaluated(Evaluation& evaluation, std::shared_ptr<const TemporalMapping> mapping) const;

  std::unique_ptr<Tables> tables_;
};

}  // namespace zz::core
