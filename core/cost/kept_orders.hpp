#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/cost/score.hpp"
#include "core/search/loma/best_order_search.hpp"

namespace zz::core {

/// The figures that orders are compared by, one after the other.
class OrderFigures {
 public:
  static constexpr std::size_t most = 4;
  using Values = std::array<double, most>;

  explicit OrderFigures(std::vector<OrderMetric> metrics) : metrics_(std::move(metrics)) {}

  OrderMetric first() const { return metrics_[0]; }

  Values of(const Score& score) const {
    Values figures{};
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      switch (metrics_[i]) {
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

  bool less(const Values& a, const Values& b) const {
    return std::lexicographical_compare(a.begin(), a.begin() + metrics_.size(), b.begin(),
                                        b.begin() + metrics_.size());
  }

 private:
  std::vector<OrderMetric> metrics_;
};

/// The best orders so far, of equally good ones those enumerated first.
class KeptOrders {
 public:
  /// When an order's turn comes in the enumeration: the part of the search that it is in, then the place
  /// in that part.
  using Turn = std::pair<std::int64_t, std::int64_t>;
  struct Kept {
    OrderFigures::Values figures;
    Turn turn;
    CompactMapping mapping;
  };

  KeptOrders(const OrderFigures& figures, std::size_t most) : figures_(figures), most_(most) {}

  bool full() const { return kept_.size() == most_; }
  const OrderFigures::Values& worst() const { return kept_.back().figures; }
  /// Whether an order with these figures whose turn is later would be kept.
  bool wants(const OrderFigures::Values& figures) const {
    return !full() || figures_.less(figures, worst());
  }
  /// Of the turns of those that are kept.
  Turn latest_turn() const {
    Turn latest{};
    for (const Kept& kept : kept_) latest = std::max(latest, kept.turn);
    return latest;
  }

  void add(Kept&& order) {
    const auto before = [this](const Kept& a, const Kept& b) {
      if (figures_.less(a.figures, b.figures)) return true;
      return !figures_.less(b.figures, a.figures) && a.turn < b.turn;
    };
    if (full() && !before(order, kept_.back())) return;
    if (full()) kept_.pop_back();
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), order, before), std::move(order));
  }

  /// Best first.
  std::vector<Kept>& all() { return kept_; }

 private:
  const OrderFigures& figures_;
  std::size_t most_;
  std::vector<Kept> kept_;
};

}  // namespace zz::core
