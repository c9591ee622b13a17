#include "core/cost/shared_scores.hpp"

#include <bit>

#include "core/cost/link_score.hpp"

namespace zz::core {

std::optional<Score> SharedScores::score(const LoopPath& path, const CompactMapping& mapping,
                                         const ScoreLimit& limit) {
  if (!links_.usable()) return std::nullopt;
  if (structures_.size() >= most_structures || run_scores_.size() >= most_structures) {
    points_.clear();
    structures_.clear();
    runs_.clear();
    run_scores_.clear();
  }
  const OrderCuts cuts(links_, path, mapping);
  const std::uint32_t number = structure_of(cuts, limit);
  const Structure& structure = structures_[number];
  if (structure.runs == 0) return structure.score;
  std::size_t words = 0;
  key_[words++] = number;
  for (std::uint64_t left = structure.runs; left != 0; left &= left - 1) {
    const int boundary = std::countr_zero(left);
    key_[words++] = cuts.without_irrelevant_run(boundary);
    key_[words++] = cuts.without_relevant_run(boundary);
  }
  const std::uint32_t place = runs_.number_of({key_.data(), words});
  if (place == run_scores_.size()) run_scores_.push_back(compute(cuts, limit));
  return run_scores_[place];
}

std::uint32_t SharedScores::structure_of(const OrderCuts& cuts, const ScoreLimit& limit) {
  std::size_t words = 0;
  const int boundaries = static_cast<int>(links_.boundaries().size());
  for (int boundary = 0; boundary < boundaries; ++boundary) key_[words++] = cuts.point(boundary);
  if (tables_.imc) key_[words++] = cuts.repeats(tables_.imc->weight_operand);
  const std::uint32_t number = points_.number_of({key_.data(), words});
  if (number == structures_.size()) {
    Structure structure;
    structure.runs = boundaries_with_runs(cuts, links_);
    if (structure.runs == 0) structure.score = compute(cuts, limit);
    structures_.push_back(structure);
  }
  return number;
}

std::optional<Score> SharedScores::compute(const OrderCuts& cuts, const ScoreLimit& limit) {
  ++computed_;
  return score_by_links(tables_, options_, cuts, links_, limit);
}

}  // namespace zz::core
