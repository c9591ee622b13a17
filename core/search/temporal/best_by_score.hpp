#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/cost/score.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::core {

inline double value_of(Objective objective, const Score& score) {
  return value_of(objective, score.energy_total, score.latency_total2);
}

/// Keeps the best candidates. Their figures are compared one after the other, and smaller is better. Of
/// equally good candidates it keeps those that came first.
template <class T>
class BestByScore {
 public:
  static constexpr std::size_t most_figures = 4;
  using Figures = std::array<double, most_figures>;

  /// Compares the first `figures` figures and keeps `most` candidates.
  BestByScore(std::size_t figures, std::size_t most) : figures_(figures), most_(most) {}

  /// True if a candidate with these figures that comes next is kept.
  bool wants(const Figures& figures) const {
    return kept_.size() < most_ || (!kept_.empty() && better(figures, kept_.back().figures));
  }
  void add(const Figures& figures, T candidate) {
    ++turn_;
    if (!wants(figures)) return;
    if (kept_.size() == most_) kept_.pop_back();
    const auto behind =
        std::upper_bound(kept_.begin(), kept_.end(), figures,
                         [&](const Figures& a, const Kept& other) { return better(a, other.figures); });
    kept_.insert(behind, {figures, turn_, std::move(candidate)});
  }

  /// The candidates that were kept, in the order in which they came.
  std::vector<T> in_order() const {
    std::vector<const Kept*> order;
    for (const Kept& kept : kept_) order.push_back(&kept);
    std::sort(order.begin(), order.end(), [](const Kept* a, const Kept* b) { return a->turn < b->turn; });
    std::vector<T> candidates;
    for (const Kept* kept : order) candidates.push_back(kept->candidate);
    return candidates;
  }

 private:
  struct Kept {
    Figures figures;
    std::uint64_t turn;
    T candidate;
  };
  bool better(const Figures& a, const Figures& b) const {
    return std::lexicographical_compare(a.begin(), a.begin() + figures_, b.begin(), b.begin() + figures_);
  }

  std::size_t figures_, most_;
  std::uint64_t turn_ = 0;
  std::vector<Kept> kept_;  ///< best first
};

}  // namespace zz::core
