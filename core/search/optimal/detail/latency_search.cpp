#include "core/search/optimal/detail/latency_search.hpp"

#include <algorithm>
#include <memory>
#include <queue>
#include <utility>

#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/branching.hpp"
#include "core/search/optimal/detail/subproblem.hpp"
#include "core/search/optimal/detail/subproblem_bounds.hpp"

namespace zz::core {
namespace {

class LatencySearch {
 public:
  LatencySearch(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                double least_energy, const SearchLimits& limits, const SearchPace& pace)
      : problem_(problem),
        goal_(goal),
        least_energy_(least_energy),
        limits_(limits),
        pace_(pace),
        best_(incumbent),
        bounds_(problem, goal, least_energy) {}

  Certificate find() {
    const std::uint64_t states_before = best_.states;
    list_residencies();
    while (!open_.empty()) {
      Subproblem node = open_.top();
      if (!(node.bound < limit()) || limits_.stop(stopwatch_.seconds(), bytes_ + bounds_.table_bytes()) ||
          best_.states - states_before > limits_.states)
        break;
      open_.pop();
      if (node.search)
        advance(node);
      else
        begin(node);
    }
    // Subproblems that are no better by more than the gap were dropped.
    double bound = best_.value / (1 + limits_.gap);
    if (!open_.empty()) bound = std::min(bound, open_.top().bound);
    best_.lower_bound = bound;
    if (best_.value <= bound * (1 + rounding_tolerance)) best_.lower_bound = best_.value;
    return best_;
  }

 private:
  /// Values from here on are of no interest.
  double limit() const { return best_.value / (1 + limits_.gap) * (1 - rounding_tolerance); }
  double longest() const {
    double longest = goal_.most_latency * (1 + rounding_tolerance);
    if (goal_.objective == Objective::latency) longest = std::min(longest, best_.value);
    if (goal_.objective == Objective::edp) longest = std::min(longest, best_.value / least_energy_);
    return longest;
  }

  void list_residencies() {
    const int operands = problem_.space.operands();
    FinalResidency residency{};
    for (;;) {
      if (fits(residency)) {
        push(bounds_.root(residency, longest() - bounds_.computation() - bounds_.drain()));
      }
      int operand = 0;
      while (operand < operands && ++residency[operand] == problem_.tables.operands[operand].levels)
        residency[operand++] = 0;
      if (operand == operands) break;
    }
  }

  bool fits(const FinalResidency& residency) const {
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      for (int level = residency[operand]; level < problem_.tables.operands[operand].levels; ++level) {
        if (!problem_.fit.fits(operand, level, problem_.space.lattice().full(), false)) return false;
      }
    }
    return true;
  }

  void push(Subproblem node) {
    if (node.most_stalls < 0) return;
    node.bound = std::max(node.bound, bounds_.least_value(node));
    if (node.bound < limit()) open_.push(std::move(node));
  }

  /// False: there is no such split.
  bool push_all(Children children) {
    if (!children) return false;
    for (Subproblem& child : *children) push(std::move(child));
    return true;
  }

  /// Goes on with the children in place of the node, whose search counts as long as it is open.
  bool replace(const Subproblem& node, Children children) {
    if (!children) return false;
    bytes_ -= node.search->labels.memory_bytes();
    return push_all(std::move(children));
  }

  void begin(Subproblem& node) {
    if (!node.tables) node.tables = bounds_.tables(node, best_.value);
    node.search = std::make_shared<SubproblemSearch>(
        problem_, *node.tables, bounds_.objective(node), bounds_.costs().single_buffer(),
        node.keep_all, node.fill, node.branch.get());
    node.bound = std::max(node.bound, node.search->labels.bound());
    if (!(node.bound < limit())) return;
    bytes_ += node.search->labels.memory_bytes();
    open_.push(node);
  }

  /// Partial mappings to look at before a joint cost-to-go is made: about as many as take as long.
  std::size_t patience(const Subproblem& node) const {
    constexpr double million = 1 << 20;
    const double size = bounds_.joint_size(node, best_.value);
    return static_cast<std::size_t>(static_cast<double>(pace_.before_branching) *
                                    std::max(1.0, size / million));
  }

  /// Searches a little further. Subproblems take turns, so that the least of their bounds rises.
  void advance(Subproblem& node) {
    constexpr int most_mappings = 64;
    SubproblemSearch& search = *node.search;
    const std::size_t visited = search.labels.visited();
    const std::size_t bytes = search.labels.memory_bytes();
    const LabelSearch::Step step = search.labels.advance(pace_.labels_at_once, limit());
    best_.states += search.labels.visited() - visited;
    if (step == LabelSearch::Step::paused) {
      bytes_ += search.labels.memory_bytes() - bytes;
      node.bound = std::max(node.bound, std::min(search.labels.bound(), search.least_value));
      if (!search.asked_classes && search.mappings == 0 && search.labels.visited() > pace_.before_classes) {
        search.asked_classes = true;
        if (replace(node, split_by_class(bounds_, node, limit()))) return;
      }
      if (!search.dived && search.mappings == 0 && search.labels.visited() > pace_.before_dive) {
        search.dived = true;
        dive(node);
      }
      // Operands compete for room to save energy; for the latency, mostly not.
      const std::size_t turns = goal_.objective == Objective::edp ? 1 : node.branch ? 8 : 2;
      const bool patient = search.labels.visited() < turns * patience(node);
      if (patient || !replace(node, split_by_capacity(bounds_, node))) open_.push(std::move(node));
      return;
    }
    bytes_ -= bytes;
    if (step == LabelSearch::Step::complete) {
      const double bound = search.labels.result_value();
      search.least_value = std::min(search.least_value, bound);
      const double value = problem_.value(search.labels.result(), goal_);
      keep(search.labels.result());
      const bool attained = value <= bound * (1 + rounding_tolerance);
      if (!attained && refine(node)) return;
      const bool more = !attained && ++search.mappings < most_mappings;
      if (node.keep_all || more) {
        bytes_ += search.labels.memory_bytes();
        node.bound = std::max(node.bound, node.keep_all ? search.labels.bound() : search.least_value);
        open_.push(std::move(node));
        return;
      }
    }
    // A label may dominate another by its bound that leads to a better mapping.
    if (node.keep_all || !(search.least_value < limit())) return;
    node.bound = std::max(node.bound, search.least_value);
    node.with_classes = node.keep_all = true;
    node.search = {};
    push(std::move(node));
  }

  /// Diving heuristic: a better incumbent leaves less to search.
  void dive(const Subproblem& node) {
    constexpr std::size_t most_labels = 1024;
    for (const double share : {0.1, 0.02}) {
      SubproblemSearch search(problem_, *node.tables, bounds_.objective(node),
                              bounds_.costs().single_buffer(), false, node.fill, node.branch.get());
      search.labels.prefer_deep(share);
      while (search.labels.visited() < most_labels &&
             search.labels.advance(most_labels, limit()) == LabelSearch::Step::complete)
        keep(search.labels.result());
      best_.states += search.labels.visited();
    }
  }

  void keep(const CompactMapping& mapping) {
    const double value = problem_.value(mapping, goal_);
    if (!(value < best_.value)) return;
    best_.value = value;
    best_.mapping = mapping;
  }

  /// Refines a subproblem whose best mapping does not attain the bound.
  bool refine(Subproblem& node) {
    if (node.keep_all || node.with_classes) return false;
    node.bound = std::max(node.bound, node.search->labels.result_value());
    node.with_classes = true;
    node.search = {};
    push(std::move(node));
    return true;
  }

  const SearchProblem& problem_;
  Goal goal_;
  double least_energy_;
  SearchLimits limits_;
  SearchPace pace_;
  ProcessorTime stopwatch_;
  Certificate best_;
  SubproblemBounds bounds_;
  std::priority_queue<Subproblem> open_;
  std::size_t bytes_ = 0;
};

}  // namespace

Certificate find_least_latency(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                               double least_energy, const SearchLimits& limits, const SearchPace& pace) {
  return LatencySearch(problem, goal, incumbent, least_energy, limits, pace).find();
}

}  // namespace zz::core
