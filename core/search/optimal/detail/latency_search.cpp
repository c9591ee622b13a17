#include "core/search/optimal/detail/latency_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <queue>
#include <vector>

#include "core/search/optimal/detail/energy_search.hpp"
#include "core/search/optimal/detail/subproblem.hpp"

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
        loads_(problem) {
    if (goal.needs_energy()) energy_ = energy_costs(problem);
    costs_ = std::make_unique<LatencyCosts>(problem, loads_, energy());
  }

  Certificate run() {
    const std::uint64_t states_before = best_.states;
    list_residencies();
    while (!open_.empty()) {
      Subproblem node = open_.top();
      if (!(node.bound < limit()) || limits_.stop(stopwatch_.seconds(), bytes_ + table_bytes_) ||
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
    double longest = goal_.most_latency;
    if (goal_.objective == Objective::latency) longest = std::min(longest, best_.value);
    if (goal_.objective == Objective::edp) longest = std::min(longest, best_.value / least_energy_);
    return longest;
  }

  void list_residencies() {
    const int operands = problem_.space.operands();
    FinalResidency residency{};
    for (;;) {
      if (fits(residency)) {
        push({residency,
              {0, longest() - loads_.computation},
              0,
              std::make_shared<const ResidencyLoading>(costs_->loading(residency)),
              {},
              {}});
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

  const LabelCosts* energy() const { return goal_.needs_energy() ? &energy_ : nullptr; }
  const LatencyCosts& costs_of(const Subproblem& node) const {
    if (!node.must_stall) return *costs_;
    if (!costs_if_stalled_) {
      costs_if_stalled_ =
          std::make_unique<LatencyCosts>(problem_, loads_, energy(), StallsKnown::from_above);
    }
    return *costs_if_stalled_;
  }

  LatencyObjective objective_of(const Subproblem& node, const StallRange& stalls) const {
    LatencyObjective objective(costs_of(node), node.loading, stalls, node.hiding, goal_, node.with_classes);
    if (node.tables && node.tables->joint) objective.use_lagrangian(node.tables->joint->sums());
    return objective;
  }

  void push(Subproblem node) {
    if (node.stalls.most < node.stalls.least) return;
    node.loading->ports().decide(node.hiding, node.fill, node.stalls.least, node.stalls.most);
    node.bound = std::max(node.bound, least_value(node));
    if (node.bound < limit()) open_.push(std::move(node));
  }

  /// The goal at the least sums of the residency.
  double least_value(const Subproblem& node) const {
    const LatencyCosts& costs = costs_of(node);
    const std::vector<double> least = costs.least_sums(node.residency);
    const double latency = costs.latency(*node.loading, least.data(), node.fill, node.stalls, node.hiding);
    const double energy = goal_.needs_energy() ? std::max(least_energy_, least[0]) : 0;
    return goal_.of(energy * (1 - rounding_tolerance), latency);
  }

  void begin(Subproblem& node) {
    if (!node.tables) node.tables = tables_of(node);
    node.search = std::make_shared<SubproblemSearch>(
        problem_, *node.tables, objective_of(node, node.stalls), costs_of(node).single_buffer(),
        node.keep_all, node.fill, node.branch.get());
    node.bound = std::max(node.bound, node.search->labels.bound());
    if (!(node.bound < limit())) return;
    bytes_ += node.search->labels.memory_bytes();
    open_.push(node);
  }

  std::shared_ptr<const ResidencyTables> tables_of(const Subproblem& node) {
    const LatencyCosts& costs = costs_of(node);
    auto tables = std::make_shared<ResidencyTables>(
        costs.costs(node.residency),
        cost_to_go_[node.must_stall ? 1 : 0].at(problem_, costs, node.residency), table_bytes_);
    if (node.branch) tables->tabulate_jointly(problem_, *node.branch, joint_sums(node));
    return tables;
  }

  /// The sums of the joint cost-to-go. For the EDP, the multiplier is about the energy per cycle of the
  /// best mapping. For the latency, mixtures of ports are among them.
  std::vector<WeightedSum> joint_sums(const Subproblem& node) const {
    const auto latencies = costs_of(node).latency_components(*node.loading, node.stalls, node.hiding);
    if (goal_.objective != Objective::edp) {
      std::vector<WeightedSum> sums = LagrangianBound::sums(latencies, goal_.needs_energy());
      sums.insert(sums.end(), node.mixtures.begin(), node.mixtures.end());
      return sums;
    }
    return LagrangianBound::sums(latencies, true, {least_energy_ * least_energy_ / best_.value});
  }

  /// Partial mappings to look at before a joint cost-to-go is made: about as many as take as long.
  std::size_t patience(const Subproblem& node) const {
    constexpr double million = 1 << 20;
    const double size = JointCostToGo::size(problem_.space, problem_.fit, joint_sums(node).size());
    return static_cast<std::size_t>(static_cast<double>(pace_.before_branching) *
                                    std::max(1.0, size / million));
  }

  /// Starts the subproblem again with a joint cost-to-go, or, when it has one, with each half of its
  /// capacity branch. Mixtures are made of the components that are longest in the search so far.
  bool tighten(const Subproblem& node) {
    std::vector<CapacityBranch> branches;
    if (!(node.stalls.most < infinite)) return false;
    if (!node.branch)
      branches.emplace_back(problem_.space, problem_.fit);
    else if (node.branch->contested())
      branches = node.branch->split();
    else
      return false;
    const auto latencies = costs_of(node).latency_components(*node.loading, node.stalls, node.hiding);
    auto mixtures = LagrangianBound::mixtures(latencies, node.search->labels.lowest_sums());
    bytes_ -= node.search->labels.memory_bytes();
    for (const CapacityBranch& branch : branches) {
      Subproblem next = node;
      next.mixtures = mixtures;
      next.branch = std::make_shared<const CapacityBranch>(branch);
      next.tables = {};
      next.search = {};
      push(std::move(next));
    }
    return true;
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
        if (split_by_class(node)) {
          bytes_ -= search.labels.memory_bytes();
          return;
        }
        if (!node.with_classes && node.loading->needs_classes(node.fill)) {
          bytes_ -= search.labels.memory_bytes();
          node.with_classes = true;
          node.search = {};
          push(std::move(node));
          return;
        }
      }
      if (!search.dived && search.mappings == 0 && search.labels.visited() > pace_.before_dive) {
        search.dived = true;
        dive(node);
      }
      // Operands compete for room to save energy; for the latency, mostly not.
      const std::size_t turns = goal_.objective == Objective::edp ? 1 : node.branch ? 8 : 2;
      const bool patient = search.labels.visited() < turns * patience(node);
      if (patient || !tighten(node)) open_.push(std::move(node));
      return;
    }
    bytes_ -= bytes;
    if (step == LabelSearch::Step::complete) {
      const double bound = search.labels.result_value();
      search.least_value = std::min(search.least_value, bound);
      const Score score = problem_.model.score(search.labels.result());
      const double value = problem_.value(search.labels.result(), goal_);
      keep(search.labels.result());
      const bool attained = value <= bound * (1 + rounding_tolerance);
      if (!attained && refine(node, score.latency_total0 - loads_.computation)) return;
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
      SubproblemSearch search(problem_, *node.tables, objective_of(node, node.stalls),
                              costs_of(node).single_buffer(), false, node.fill, node.branch.get());
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
  bool refine(Subproblem& node, double stalls) {
    if (node.keep_all) return false;
    if (!node.with_classes) {
      node.bound = std::max(node.bound, node.search->labels.result_value(node.search->objective));
      node.with_classes = true;
      node.search = {};
      push(std::move(node));
      return true;
    }
    return split_by_hiding(node) || split_by_stalls(node, stalls);
  }

  /// Splits a subproblem by fill classes, if that brings its bound half the way to the best mapping: there
  /// are many children, and each is a search of its own.
  bool split_by_class(const Subproblem& node) {
    constexpr std::size_t most_parts = 4096;
    const OneTimeLoads& once = costs_->once();
    std::size_t count = 1;
    FillClasses last{};
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      if (node.fill[operand] != 0 || !node.loading->ports().class_matters(operand)) continue;
      if (!once.all_classified(operand)) return false;
      last[operand] = once.classes(operand);
      count *= last[operand];
      if (count > most_parts) return false;
    }
    if (count == 1) return false;
    const double enough = (node.bound + limit()) / 2;
    std::vector<Subproblem> children(count, node);
    for (std::size_t index = 0; index < count; ++index) {
      std::size_t rest = index;
      for (int operand = 0; operand < problem_.space.operands(); ++operand) {
        if (last[operand] == 0) continue;
        children[index].fill[operand] = static_cast<std::uint16_t>(1 + rest % last[operand]);
        rest /= last[operand];
      }
      children[index].search = {};
      children[index].with_classes = true;
      if (!(least_value(children[index]) >= enough)) return false;
    }
    for (Subproblem& child : children) push(std::move(child));
    return true;
  }

  /// Splits a subproblem by how hiding ends at a port, if that tightens the bound of the mapping found.
  bool split_by_hiding(const Subproblem& node) {
    const double bound = node.search->labels.result_value(node.search->objective);
    for (std::size_t port = 0; port < node.hiding.size(); ++port) {
      if (node.hiding[port] != Hiding::either || !node.loading->ports().has_choice(port)) continue;
      Subproblem longest = node;
      longest.search = {};
      longest.bound = std::max(node.bound, bound);
      Subproblem levelled = longest;
      longest.hiding[port] = Hiding::longest_shortened;
      levelled.hiding[port] = Hiding::levelled;
      const auto tight = [&](const Subproblem& half) {
        return node.search->labels.result_value(objective_of(half, half.stalls));
      };
      if (!(std::max(tight(longest), tight(levelled)) > bound * (1 + rounding_tolerance))) continue;
      push(std::move(longest));
      push(std::move(levelled));
      return true;
    }
    return false;
  }

  /// Splits a subproblem by how long mappings stall, if that tightens the bound of the mapping found.
  bool split_by_stalls(const Subproblem& node, double stalls) {
    const double least = node.stalls.least;
    const double most = node.stalls.most;
    if (most - least < 1) return false;
    // If the sums do not show the stalls, a child with shorter ones would have the same bound.
    if (stalls > std::max(least, costs_of(node).least_stalls(node.search->labels.result_sums())) + 0.5)
      return false;
    const LabelSearch& labels = node.search->labels;
    const double bound = labels.result_value(node.search->objective);
    const double own = std::clamp(stalls, least, most);
    const double tight = labels.result_value(objective_of(node, {own, own}));
    if (!(tight > bound * (1 + rounding_tolerance))) return false;
    double middle = std::floor((least + most) / 2);
    if (stalls >= least && stalls < middle) middle = stalls;
    Subproblem shorter = node;
    shorter.search = {};
    shorter.bound = bound;
    Subproblem longer = shorter;
    shorter.stalls.most = middle;
    longer.stalls.least = middle + 1;
    longer.must_stall = true;
    if (!node.must_stall) {
      longer.tables = {};
      longer.mixtures = {};  // components differ
    }
    push(std::move(shorter));
    push(std::move(longer));
    return true;
  }

  const SearchProblem& problem_;
  Goal goal_;
  double least_energy_;
  SearchLimits limits_;
  SearchPace pace_;
  Stopwatch stopwatch_;
  Certificate best_;
  PortLoads loads_;
  LabelCosts energy_;
  std::unique_ptr<LatencyCosts> costs_;
  std::size_t table_bytes_ = 0;
  std::array<CostToGoTables, 2> cost_to_go_;                ///< the second where mappings must stall
  mutable std::unique_ptr<LatencyCosts> costs_if_stalled_;  ///< once needed
  std::priority_queue<Subproblem> open_;
  std::size_t bytes_ = 0;
};

}  // namespace

Certificate find_least_latency(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                               double least_energy, const SearchLimits& limits, const SearchPace& pace) {
  return LatencySearch(problem, goal, incumbent, least_energy, limits, pace).run();
}

}  // namespace zz::core
