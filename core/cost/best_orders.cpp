#include "core/cost/best_orders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/cost/link_bounds.hpp"
#include "core/mapping/order_tree.hpp"
#include "core/mapping/tabulated_allocation.hpp"

namespace zz::core {
namespace {

constexpr std::size_t most_metrics = 4;
/// A branch with fewer open loops has a handful of orders, which cost less than bounds.
constexpr int fewest_open_to_bound = 3;
constexpr int steps_between_stops = 1024;

class Search {
 public:
  Search(const CostTables& tables, const CostModelOptions& options, SharedScores& scores,
         BestOrderSearch& question)
      : scores_(scores), question_(question), tree_(*question.lattice, question.kinds) {
    if (question.bounded) bounds_.emplace(tables, options, scores.links(), *question.allocation);
  }

  bool run() {
    if (question_.metrics.empty() || question_.metrics.size() > most_metrics) return false;
    if (bounds_ && !bounds_->usable()) return false;
    if (bounds_ && question_.keep == 1) find_some_good_order();
    tree_.walk([this](int open) { return !stopped() && may_contain_better(open); },
               [this] {
                 if (!stopped()) consider();
               });
    if (stopped_ || unknown_ || kept_.empty()) return false;
    std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.turn < b.turn; });
    for (const Kept& kept : kept_) question_.best.push_back(kept.mapping);
    question_.evaluated = bounds_ ? question_.orders : turn_;
    return true;
  }

 private:
  using Figures = std::array<double, most_metrics>;
  struct Kept {
    Figures figures;
    std::int64_t turn;
    CompactMapping mapping;
  };

  Figures figures_of(const Score& score) const {
    Figures figures{};
    for (std::size_t i = 0; i < question_.metrics.size(); ++i) {
      switch (question_.metrics[i]) {
        case OrderMetric::energy_total:
          figures[i] = score.energy_total;
          break;
        case OrderMetric::latency_total2:
          figures[i] = score.latency_total2;
          break;
        case OrderMetric::edp:
          figures[i] = score.latency_total2 * score.energy_total;
          break;
      }
    }
    return figures;
  }

  bool less(const Figures& a, const Figures& b) const {
    const std::size_t count = question_.metrics.size();
    return std::lexicographical_compare(a.begin(), a.begin() + count, b.begin(), b.begin() + count);
  }

  bool stopped() {
    if (++steps_ % steps_between_stops == 0 && question_.stop && question_.stop()) stopped_ = true;
    return stopped_;
  }

  /// From now on orders with figures that are larger than these are not wanted.
  void lower_limit(const Figures& figures) {
    double& limit = question_.metrics[0] == OrderMetric::energy_total     ? limit_.energy
                    : question_.metrics[0] == OrderMetric::latency_total2 ? limit_.latency
                                                                          : limit_.product;
    limit = std::min(limit, figures[0]);
  }

  /// Allocates the order that is the path, and scores it. Nothing: it does not fit, or is not wanted.
  std::optional<Figures> evaluate(const LoopPath& path, CompactMapping& mapping) {
    AllocationFailure ignored;
    if (!allocate_by_tables(*question_.allocation, path, question_.type, mapping, ignored))
      return std::nullopt;
    ++turn_;
    const std::optional<Score> score = scores_.score(path, mapping, limit_);
    if (!score) unknown_ = true;
    if (!score || std::isinf(score->energy_total)) return std::nullopt;
    return figures_of(*score);
  }

  void put(CompactMapping& mapping, int position, int kind) const {
    const LoopLattice::Kind& loop = question_.lattice->kinds()[static_cast<std::size_t>(kind)];
    mapping.dimension[position] = static_cast<std::uint8_t>(loop.dimension);
    mapping.kind[position] = static_cast<std::uint8_t>(kind);
    mapping.size[position] = loop.size;
  }

  /// Exchanges two loops as long as that helps. What it finds is in the tree too: whatever is worse need
  /// not be looked at, even before its turn comes.
  void find_some_good_order() {
    const auto figures_of_order = [&](CompactMapping& order) {
      return evaluate(LoopPath(question_.allocation->kinds(), order), order);
    };
    CompactMapping order;
    for (const int kind : question_.kinds) {
      for (int i = question_.lattice->kinds()[static_cast<std::size_t>(kind)].count; i > 0; --i)
        put(order, order.loops++, kind);
    }
    good_ = figures_of_order(order);
    if (good_) lower_limit(*good_);
    for (bool better = good_.has_value(); better;) {
      better = false;
      CompactMapping best = order;
      for (int a = 0; a < order.loops; ++a) {
        for (int b = a + 1; b < order.loops; ++b) {
          if (order.kind[a] == order.kind[b]) continue;
          CompactMapping changed = order;
          put(changed, a, order.kind[b]);
          put(changed, b, order.kind[a]);
          const std::optional<Figures> figures = figures_of_order(changed);
          if (!figures || !less(*figures, *good_)) continue;
          good_ = figures;
          lower_limit(*figures);
          best = changed;
          better = true;
        }
      }
      order = best;
    }
  }

  bool may_contain_better(int open) {
    if (unknown_) return false;
    const bool full = kept_.size() == question_.keep;
    if (!bounds_ || open < fewest_open_to_bound || (!full && !good_)) return true;
    const Figures least = figures_of(bounds_->least(tree_, open));
    if (good_ && less(*good_, least)) return false;
    // Of equals the earlier one counts.
    return !full || less(least, kept_.back().figures);
  }

  void consider() {
    LoopPath path;
    for (int position = 0; position < tree_.loops(); ++position)
      path.add(question_.allocation->kinds()[static_cast<std::size_t>(tree_.kind(position))]);
    const std::optional<Figures> figures = evaluate(path, cuts_);
    if (!figures) return;
    const bool full = kept_.size() == question_.keep;
    if (full && !less(*figures, kept_.back().figures)) return;
    if (full) kept_.pop_back();
    const auto place = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Kept& other) { return less(*figures, other.figures); });
    CompactMapping mapping = cuts_;
    mapping.loops = tree_.loops();
    for (int position = 0; position < mapping.loops; ++position)
      put(mapping, position, tree_.kind(position));
    kept_.insert(place, {*figures, turn_, mapping});
    if (kept_.size() == question_.keep) lower_limit(kept_.back().figures);
  }

  SharedScores& scores_;
  BestOrderSearch& question_;
  std::optional<LinkBounds> bounds_;
  OrderTree tree_;
  CompactMapping cuts_;  ///< of the order at hand; without its loops
  std::optional<Figures> good_;
  std::vector<Kept> kept_;  ///< best first
  ScoreLimit limit_;
  std::int64_t turn_ = 0;  ///< orders so far that fit
  std::int64_t steps_ = 0;
  bool stopped_ = false;
  bool unknown_ = false;  ///< the links of some order do not tell its cost
};

}  // namespace

void find_best_orders(const CostTables& tables, const CostModelOptions& options, SharedScores& scores,
                      BestOrderSearch& question) {
  if (!scores.links().usable()) return;
  question.answered = Search(tables, options, scores, question).run();
  if (!question.answered) question.best.clear();
}

}  // namespace zz::core
