#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/key_numbers.hpp"
#include "core/cost/link_tables.hpp"
#include "core/cost/order_cuts.hpp"
#include "core/cost/score_limit.hpp"

namespace zz::core {

/// Scores orders of one lattice, each cost structure once.
///
/// Orders whose operands cut them at the same points cost the same, unless a memory is more than half full:
/// then the outermost runs of loops of its level count as well. Of the 720 orders of six loops a dozen to
/// some hundred differ in that. Not for several threads at once.
class SharedScores {
 public:
  /// `tables` must outlive this object.
  SharedScores(const CostTables& tables, const CostModelOptions& options,
               std::shared_ptr<const LoopLattice> lattice)
      : tables_(tables), options_(options), links_(tables, options, std::move(lattice)) {}
  /// For another thread: has a copy of the links, and no scores.
  SharedScores(const CostTables& tables, const CostModelOptions& options, const LinkTables& links)
      : tables_(tables), options_(options), links_(links) {}

  /// The score of an order of the lattice, which is a path and its cuts; nothing where only the whole cost
  /// model can tell. See score_by_links() about the limit, which must not rise from call to call.
  std::optional<Score> score(const LoopPath& path, const CompactMapping& mapping,
                             const ScoreLimit& limit = {});

  LinkTables& links() { return links_; }
  /// How many scores were computed.
  std::int64_t computed() const { return computed_; }

 private:
  static constexpr std::size_t most_structures = std::size_t{1} << 14;  ///< then it starts afresh

  struct Structure {
    std::uint64_t runs = 0;      ///< boundaries_with_runs()
    std::optional<Score> score;  ///< of all orders with these points, where runs do not count
  };

  std::uint32_t structure_of(const OrderCuts& cuts, const ScoreLimit& limit);
  std::optional<Score> compute(const OrderCuts& cuts, const ScoreLimit& limit);

  const CostTables& tables_;
  CostModelOptions options_;
  LinkTables links_;
  KeyNumbers points_;                             ///< by the points of all boundaries
  std::vector<Structure> structures_;             ///< by number of points_
  KeyNumbers runs_;                               ///< by number of points_, then the ends of runs
  std::vector<std::optional<Score>> run_scores_;  ///< by number of runs_
  std::array<std::uint32_t, 2 * LinkTables::most_boundaries + 1> key_;
  std::int64_t computed_ = 0;
};

}  // namespace zz::core
