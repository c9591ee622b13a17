#include "core/cost/best_orders.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "core/cost/kept_orders.hpp"
#include "core/cost/link_bounds.hpp"
#include "core/cost/shared_limit.hpp"
#include "core/search/loma/order_tree.hpp"
#include "core/search/loma/order_tree_parts.hpp"
#include "core/search/loma/tabulated_allocation.hpp"

namespace zz::core {
namespace {

/// A branch with fewer open loops has a handful of orders, which cost less than bounds.
constexpr int fewest_open_to_bound = 3;
constexpr int steps_between_stops = 1024;
/// Smaller searches take less than half a millisecond.
constexpr std::int64_t fewest_orders_to_share = 5'000;

/// One thread's walk through the tree, or through some parts of it.
class Walk {
 public:
  using Figures = OrderFigures::Values;

  /// `bounds` may be null: then all orders are looked at.
  Walk(const BestOrderSearch& question, const OrderFigures& figures, SharedScores& scores,
       LinkBounds* bounds)
      : question_(question),
        figures_(figures),
        scores_(scores),
        bounds_(bounds),
        tree_(*question.lattice, question.kinds),
        kept_(figures, question.keep) {}

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
    set_good(figures_of_order(order));
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
          if (!figures || !figures_.less(*figures, *good_)) continue;
          set_good(figures);
          best = changed;
          better = true;
        }
      }
      order = best;
    }
  }
  const std::optional<Figures>& good() const { return good_; }
  /// Some order has these figures, and what is worse is not wanted.
  void set_good(const std::optional<Figures>& figures) {
    good_ = figures;
    if (good_) lower_limit(*good_);
  }

  void walk() {
    tree_.walk([this](int open) { return !stopped() && may_contain_better(open); },
               [this] {
                 if (!stopped()) consider();
               });
  }

  /// The parts that this thread, number `self`, is the first to get to.
  void walk_some(OrderTreeParts& parts, SharedLimit& shared, std::size_t self) {
    shared_ = &shared;
    self_ = self;
    parts.walk(
        tree_,
        [this](std::int64_t part) {
          part_ = part;
          turn_ = 0;
          listen();
        },
        [this](int open) { return !stopped() && may_contain_better(open); },
        [this] {
          if (!stopped()) consider();
        });
  }

  /// False: the search was stopped, or the links of some order do not tell its cost.
  bool told() const { return !stopped_ && !unknown_; }
  KeptOrders& kept() { return kept_; }
  std::int64_t fitting() const { return turn_; }  ///< orders so far that fit; of a walk through all

 private:
  bool stopped() {
    if (++steps_ % steps_between_stops == 0 && question_.stop && question_.stop()) stopped_ = true;
    return stopped_;
  }

  /// From now on orders with figures that are larger than these are not wanted.
  void lower_limit(const Figures& figures) {
    double& limit = figures_.first() == OrderMetric::energy_total     ? limit_.energy
                    : figures_.first() == OrderMetric::latency_total2 ? limit_.latency
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
    return figures_.of(*score);
  }

  void put(CompactMapping& mapping, int position, int kind) const {
    const LoopLattice::Kind& loop = question_.lattice->kinds()[static_cast<std::size_t>(kind)];
    mapping.dimension[position] = static_cast<std::uint8_t>(loop.dimension);
    mapping.kind[position] = static_cast<std::uint8_t>(kind);
    mapping.size[position] = loop.size;
  }

  bool may_contain_better(int open) {
    if (unknown_) return false;
    if (shared_ != nullptr && shared_->version() != heard_) listen();
    if (bounds_ == nullptr || open < fewest_open_to_bound || (!kept_.full() && !good_)) return true;
    const Figures least = figures_.of(bounds_->least(tree_, open));
    if (good_ && figures_.less(*good_, least)) return false;
    // Of equals the earlier one counts.
    if (earlier_ && !figures_.less(least, *earlier_)) return false;
    return kept_.wants(least);
  }

  /// Takes over what other threads keep: nothing worse is wanted, and nothing that is equal to what lies in
  /// earlier parts.
  void listen() {
    heard_ = shared_->version();
    earlier_.reset();
    for (const std::optional<SharedLimit::Word>& word : shared_->words()) {
      if (!word) continue;
      if (!good_ || figures_.less(word->figures, *good_)) set_good(word->figures);
      if (word->last_part < part_ && (!earlier_ || figures_.less(word->figures, *earlier_)))
        earlier_ = word->figures;
    }
  }

  void consider() {
    LoopPath path;
    for (int position = 0; position < tree_.loops(); ++position)
      path.add(question_.allocation->kinds()[static_cast<std::size_t>(tree_.kind(position))]);
    const std::optional<Figures> figures = evaluate(path, cuts_);
    if (!figures || !kept_.wants(*figures)) return;
    CompactMapping mapping = cuts_;
    mapping.loops = tree_.loops();
    for (int position = 0; position < mapping.loops; ++position)
      put(mapping, position, tree_.kind(position));
    kept_.add({*figures, {part_, turn_}, mapping});
    if (!kept_.full()) return;
    lower_limit(kept_.worst());
    if (shared_ != nullptr) shared_->say(self_, {kept_.worst(), kept_.latest_turn().first});
  }

  const BestOrderSearch& question_;
  const OrderFigures& figures_;
  SharedScores& scores_;
  LinkBounds* bounds_;
  OrderTree tree_;
  CompactMapping cuts_;             ///< of the order at hand; without its loops
  std::optional<Figures> good_;     ///< enough orders are no worse
  std::optional<Figures> earlier_;  ///< enough orders of earlier parts are no worse
  KeptOrders kept_;
  ScoreLimit limit_;
  std::int64_t part_ = 0;
  std::int64_t turn_ = 0;  ///< orders of the part so far that fit
  std::int64_t steps_ = 0;
  bool stopped_ = false;
  bool unknown_ = false;  ///< the links of some order do not tell its cost
  SharedLimit* shared_ = nullptr;
  std::size_t self_ = 0;
  std::uint32_t heard_ = 0;  ///< version of what the others said
};

/// All threads' walks, put together.
class SharedWalk {
 public:
  SharedWalk(const CostTables& tables, const CostModelOptions& options, const BestOrderSearch& question,
             const OrderFigures& figures, const LinkBounds& bounds,
             const std::optional<OrderFigures::Values>& good)
      : tables_(tables),
        options_(options),
        question_(question),
        figures_(figures),
        bounds_(bounds),
        good_(good),
        best_(figures, question.keep) {}

  /// False: see Walk::told().
  bool run(const Threads& threads) {
    SharedLimit limit(threads.count);
    OrderTreeParts::Claims claims;
    threads.parallel_for(threads.count, [&](std::size_t self) {
      if (!claims.all_taken()) walk_some(claims, limit, self);
    });
    return told_;
  }
  KeptOrders& best() { return best_; }

 private:
  void walk_some(OrderTreeParts::Claims& claims, SharedLimit& limit, std::size_t self) {
    SharedScores scores(tables_, options_, bounds_.links());
    LinkBounds bounds(bounds_, scores.links());
    Walk walk(question_, figures_, scores, &bounds);
    walk.set_good(good_);
    OrderTreeParts parts(claims);
    walk.walk_some(parts, limit, self);
    const std::lock_guard lock(mutex_);
    told_ = told_ && walk.told();
    for (KeptOrders::Kept& kept : walk.kept().all()) best_.add(std::move(kept));
  }

  const CostTables& tables_;
  const CostModelOptions& options_;
  const BestOrderSearch& question_;
  const OrderFigures& figures_;
  const LinkBounds& bounds_;  ///< from here on read only, with its links
  const std::optional<OrderFigures::Values>& good_;
  std::mutex mutex_;
  bool told_ = true;
  KeptOrders best_;
};

bool answer(const CostTables& tables, const CostModelOptions& options, SharedScores& scores,
            BestOrderSearch& question, const Threads& threads) {
  if (question.metrics.empty() || question.metrics.size() > OrderFigures::most) return false;
  std::optional<LinkBounds> bounds;
  if (question.bounded) bounds.emplace(tables, options, scores.links(), *question.allocation);
  if (bounds && !bounds->usable()) return false;
  const OrderFigures figures(question.metrics);
  Walk walk(question, figures, scores, bounds ? &*bounds : nullptr);
  if (bounds && question.keep == 1) walk.find_some_good_order();
  const auto take = [&](std::vector<KeptOrders::Kept>& kept) {
    std::sort(kept.begin(), kept.end(),
              [](const KeptOrders::Kept& a, const KeptOrders::Kept& b) { return a.turn < b.turn; });
    for (const KeptOrders::Kept& order : kept) question.best.push_back(order.mapping);
    return !kept.empty();
  };
  if (bounds && threads.count > 1 && question.orders >= fewest_orders_to_share) {
    question.evaluated = question.orders;
    SharedWalk shared(tables, options, question, figures, *bounds, walk.good());
    return walk.told() && shared.run(threads) && take(shared.best().all());
  }
  walk.walk();
  question.evaluated = bounds ? question.orders : walk.fitting();
  return walk.told() && take(walk.kept().all());
}

}  // namespace

void find_best_orders(const CostTables& tables, const CostModelOptions& options, SharedScores& scores,
                      BestOrderSearch& question, const Threads& threads) {
  if (!scores.links().usable()) return;
  question.answered = answer(tables, options, scores, question, threads);
  if (!question.answered) question.best.clear();
}

}  // namespace zz::core
