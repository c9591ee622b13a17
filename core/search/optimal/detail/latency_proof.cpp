#include "core/search/optimal/detail/latency_proof.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/latency_sums.hpp"
#include "core/search/optimal/detail/mapping_search.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {
namespace {

/// The tables that searches of one final residency share.
struct ResidencyTables {
  ResidencyTables(LabelCosts residency_costs, CostToGo residency_cost_to_go, std::size_t& joint_bytes)
      : costs(std::move(residency_costs)),
        cost_to_go(std::move(residency_cost_to_go)),
        bytes(joint_bytes) {}
  ResidencyTables(const ResidencyTables&) = delete;
  ~ResidencyTables() {
    if (joint) bytes -= joint->memory_bytes();
  }
  void tabulate_jointly(const SearchProblem& problem, const CapacityBranch& branch,
                        std::vector<WeightedSum> sums) {
    joint =
        std::make_unique<const JointCostToGo>(problem.space, problem.fit, branch, costs, std::move(sums));
    bytes += joint->memory_bytes();
  }
  LabelCosts costs;
  CostToGo cost_to_go;
  std::unique_ptr<const JointCostToGo> joint = {};
  std::size_t& bytes;  ///< of the joint tables of all residencies
};

/// The search of one subproblem.
struct SubproblemSearch {
  SubproblemSearch(const SearchProblem& problem, const ResidencyTables& tables,
                   const LatencyObjective& given, const MappingSearchOptions& options)
      : objective(given), labels(problem, tables.costs, tables.cost_to_go, objective, options) {}

  LatencyObjective objective;
  MappingSearch labels;
  double least_value = infinite;  ///< bound of the mappings found
  int mappings = 0;
  bool dived = false, asked_classes = false;
};

class SubproblemBounds;

/// A set of mappings with one bound: a node of the branch-and-bound tree of LatencySearch.
struct Subproblem {
  double bound;
  const Beginning* beginning = nullptr;       ///< of all its mappings, while that is all that is known
  std::shared_ptr<SubproblemBounds> of = {};  ///< else
  FinalResidency residency = {};
  double most_stalls = infinite;  ///< cycles
  std::shared_ptr<const ResidencyLoading> loading = {};
  std::shared_ptr<const ResidencyTables> tables = {};  ///< once needed
  std::shared_ptr<const CapacityBranch> branch = {};   ///< with a joint cost-to-go
  std::vector<WeightedSum> mixtures = {};              ///< for the joint cost-to-go
  FillClasses fill = {};                               ///< of all its mappings, where not 0
  bool with_classes = false;                           ///< LatencyObjective
  bool keep_all = false;                               ///< MappingSearch
  std::shared_ptr<SubproblemSearch> search = {};       ///< once begun
  bool operator<(const Subproblem& other) const { return bound > other.bound; }
};

/// CostToGo of each final residency. Most residencies share it for most operands.
class CostToGoTables {
 public:
  /// REQUIRES: the same `costs` each time.
  CostToGo at(const SearchProblem& problem, const LatencyCosts& costs, const FinalResidency& residency) {
    const LabelCosts least = costs.costs(residency);
    CostToGo::Operands operands;
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      auto& known = known_[operand][residency[operand]];
      if (!known)
        known = std::make_shared<const OperandCostToGo>(problem.space, problem.fit, least, operand);
      operands[operand] = known;
    }
    return CostToGo(std::move(operands));
  }

 private:
  /// [operand][boundaries closed at the end]
  std::array<std::array<std::shared_ptr<const OperandCostToGo>, max_memory_levels>, max_operands> known_;
};

/// Tables that all subproblems of a search share.
struct SharedTables {
  SharedTables(const SearchProblem& problem, const Goal& goal)
      : loads(problem), energy(goal.needs_energy() ? energy_costs(problem) : LabelCosts{}) {}

  PortLoads loads;
  LabelCosts energy;
  std::size_t bytes = 0;  ///< of the tables that are made for some subproblems
};

/// The bounding step of LatencySearch: costs, tables and objectives of subproblems, which are all mappings
/// of the problem or those that begin with certain stays.
class SubproblemBounds {
 public:
  /// `least_energy`: a lower bound of the energy.
  SubproblemBounds(const SearchProblem& problem, SharedTables& shared, const Goal& goal,
                   double least_energy)
      : SubproblemBounds(problem, shared, nullptr, goal, least_energy) {}
  SubproblemBounds(const SearchProblem& whole, SharedTables& shared, const Beginning& beginning,
                   const Goal& goal, double least_energy)
      : SubproblemBounds(whole, shared, &beginning, goal, least_energy) {}
  SubproblemBounds(const SubproblemBounds&) = delete;
  ~SubproblemBounds() { shared_.bytes -= own_bytes_; }

  const SearchProblem& problem() const { return problem_; }
  const LatencyCosts& costs() const { return costs_; }
  LatencyObjective objective(const Subproblem& node) const;
  std::vector<LatencyComponent> latency_components(const Subproblem& node) const;
  /// A lower bound: the goal at the least sums of the residency.
  double least_value(const Subproblem& node) const;

  /// The tables that a search of the subproblem needs. `best_value`: of the incumbent.
  std::shared_ptr<const ResidencyTables> tables(const Subproblem& node, double best_value);
  /// Numbers in the table of a joint cost-to-go.
  double joint_size(const Subproblem& node, double best_value) const;
  /// Cycles without stalls and loading.
  double computation() const { return loads_.computation; }
  double drain() const { return loads_.drain; }
  ResidencyLoading loading(const FinalResidency& residency) const { return costs_.loading(residency); }

 private:
  SubproblemBounds(const SearchProblem& whole, SharedTables& shared, const Beginning* beginning,
                   const Goal& goal, double least_energy);
  const LabelCosts* energy() const { return goal_.needs_energy() ? &shared_.energy : nullptr; }
  std::vector<WeightedSum> joint_sums(const Subproblem& node, double best_value) const;

  // Only of mappings that begin with certain stays.
  std::unique_ptr<const SearchProblem> own_problem_;
  std::unique_ptr<const PortLoads> own_loads_;
  std::size_t own_bytes_ = 0;

  const SearchProblem& problem_;
  SharedTables& shared_;
  Goal goal_;
  double least_energy_;
  const PortLoads& loads_;
  LatencyCosts costs_;
  CostToGoTables cost_to_go_;
};

SubproblemBounds::SubproblemBounds(const SearchProblem& whole, SharedTables& shared,
                                   const Beginning* beginning, const Goal& goal, double least_energy)
    : own_problem_(beginning ? std::make_unique<const SearchProblem>(whole, *beginning) : nullptr),
      own_loads_(beginning ? std::make_unique<const PortLoads>(shared.loads, beginning->pace) : nullptr),
      problem_(beginning ? *own_problem_ : whole),
      shared_(shared),
      goal_(goal),
      least_energy_(least_energy),
      loads_(beginning ? *own_loads_ : shared.loads),
      costs_(problem_, loads_, energy()) {
  if (beginning) own_bytes_ = costs_.memory_bytes() + own_loads_->memory_bytes();
  shared_.bytes += own_bytes_;
}

LatencyObjective SubproblemBounds::objective(const Subproblem& node) const {
  LatencyObjective objective(costs_, node.loading, node.most_stalls, goal_, node.with_classes);
  if (node.tables && node.tables->joint) objective.use_lagrangian(node.tables->joint->sums());
  return objective;
}

std::vector<LatencyComponent> SubproblemBounds::latency_components(const Subproblem& node) const {
  return costs_.latency_components(*node.loading, node.most_stalls);
}

double SubproblemBounds::least_value(const Subproblem& node) const {
  const std::vector<double> least = costs_.least_sums(node.residency);
  const double latency = costs_.latency(*node.loading, least.data(), node.fill, node.most_stalls);
  const double energy = goal_.needs_energy() ? std::max(least_energy_, least[0]) : 0;
  return goal_.of(energy * (1 - rounding_tolerance), latency);
}

std::shared_ptr<const ResidencyTables> SubproblemBounds::tables(const Subproblem& node, double best_value) {
  auto tables = std::make_shared<ResidencyTables>(
      costs_.costs(node.residency), cost_to_go_.at(problem_, costs_, node.residency), shared_.bytes);
  if (node.branch) tables->tabulate_jointly(problem_, *node.branch, joint_sums(node, best_value));
  return tables;
}

/// For the EDP, the multiplier is about the energy per cycle of the best mapping. For the latency, mixtures
/// of ports are among the sums.
std::vector<WeightedSum> SubproblemBounds::joint_sums(const Subproblem& node, double best_value) const {
  const auto latencies = latency_components(node);
  if (goal_.objective == Objective::edp)
    return LagrangianBound::sums(latencies, true, {least_energy_ * least_energy_ / best_value});
  std::vector<WeightedSum> sums = LagrangianBound::sums(latencies, goal_.needs_energy());
  sums.insert(sums.end(), node.mixtures.begin(), node.mixtures.end());
  return sums;
}

double SubproblemBounds::joint_size(const Subproblem& node, double best_value) const {
  return JointCostToGo::size(problem_.space, problem_.fit, joint_sums(node, best_value).size());
}

/// The branching step of LatencySearch: ways to split a subproblem whose search has begun. The children
/// together have all mappings of the subproblem that may be better than what is known, and no search yet.
/// Nothing: the split is not possible, or does not tighten the bound.
using Children = std::optional<std::vector<Subproblem>>;

/// By fill classes, if that brings the bound half the way to `limit`: there are many children, and each is
/// a search of its own.
Children split_by_class(const SubproblemBounds& bounds, const Subproblem& node, double limit) {
  const Refinements& refinements = bounds.problem().given.refinements;
  if (!refinements.class_splits || !refinements.fill_classes) return std::nullopt;
  constexpr std::size_t most_parts = 4096;
  const OneTimeLoads& once = bounds.costs().once();
  std::size_t count = 1;
  FillClasses last{};
  for (int operand = 0; operand < bounds.problem().space.operands(); ++operand) {
    if (node.fill[operand] != 0 || !node.loading->ports().class_matters(operand)) continue;
    if (!once.all_classified(operand)) return std::nullopt;
    last[operand] = once.classes(operand);
    count *= last[operand];
    if (count > most_parts) return std::nullopt;
  }
  if (count == 1) return std::nullopt;
  const double enough = (node.bound + limit) / 2;
  std::vector<Subproblem> children(count, node);
  for (std::size_t index = 0; index < count; ++index) {
    std::size_t rest = index;
    for (int operand = 0; operand < bounds.problem().space.operands(); ++operand) {
      if (last[operand] == 0) continue;
      children[index].fill[operand] = static_cast<std::uint16_t>(1 + rest % last[operand]);
      rest /= last[operand];
    }
    children[index].search = {};
    children[index].with_classes = true;
    if (!(bounds.least_value(children[index]) >= enough)) return std::nullopt;
  }
  return children;
}

/// With a joint cost-to-go, or, where there is one already, by each half of its capacity branch. Mixtures
/// of ports are made of the terms that are longest in the search so far. The children may be none.
Children split_by_capacity(const SubproblemBounds& bounds, const Subproblem& node) {
  const Refinements& refinements = bounds.problem().given.refinements;
  if (!(node.most_stalls < infinite) || !refinements.joint_order) return std::nullopt;
  std::vector<CapacityBranch> branches;
  if (!node.branch)
    branches.emplace_back(bounds.problem().space, bounds.problem().fit);
  else if (refinements.capacity_splits && node.branch->contested())
    branches = node.branch->split();
  else
    return std::nullopt;
  std::vector<WeightedSum> mixtures;
  if (refinements.port_mixtures)
    mixtures =
        LagrangianBound::mixtures(bounds.latency_components(node), node.search->labels.lowest_sums());
  std::vector<Subproblem> children;
  for (const CapacityBranch& branch : branches) {
    Subproblem& child = children.emplace_back(node);
    child.mixtures = mixtures;
    child.branch = std::make_shared<const CapacityBranch>(branch);
    child.tables = {};
    child.search = {};
  }
  return children;
}

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
        shared_(problem, goal) {}

  Certificate find() {
    const std::uint64_t states_before = best_.states;
    if (problem_.tables.array.any())
      list_beginnings();
    else
      list_residencies(std::make_shared<SubproblemBounds>(problem_, shared_, goal_, least_energy_));
    while (!open_.empty()) {
      Subproblem node = open_.top();
      if (!(node.bound < limit()) || limits_.stop(stopwatch_.seconds(), bytes_ + shared_.bytes) ||
          best_.states - states_before > limits_.states)
        break;
      open_.pop();
      if (node.beginning)
        list_residencies(
            std::make_shared<SubproblemBounds>(problem_, shared_, *node.beginning, goal_, least_energy_),
            node.bound);
      else if (node.search)
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

  /// Array cycles depend on how an order begins: within one beginning they are the same.
  void list_beginnings() {
    beginnings_ = beginnings(problem_.tables, problem_.space);
    const double energy = goal_.needs_energy() ? least_energy_ * (1 - rounding_tolerance) : 0;
    for (const Beginning& beginning : beginnings_) {
      const double latency = beginning.pace.cycles() + static_cast<double>(problem_.tables.drain);
      const double bound = latency_may_be_less() ? 0 : goal_.of(energy, latency * (1 - rounding_tolerance));
      if (bound < limit()) open_.push({.bound = bound, .beginning = &beginning});
    }
  }
  const Refinements& refinements() const { return problem_.given.refinements; }
  /// Loading may take less than no time.
  bool latency_may_be_less() const { return problem_.given.options.rules.loading_below_minimum; }

  void list_residencies(const std::shared_ptr<SubproblemBounds>& of, double bound = 0) {
    const int operands = problem_.space.operands();
    // Inputs whose tiles end together do not choose the order by themselves: jointly from the start.
    constexpr double most_states = 1 << 18;
    std::shared_ptr<const CapacityBranch> branch;
    if (refinements().joint_order && !problem_.space.shared_tiles().empty() && longest() < infinite &&
        JointCostToGo::size(problem_.space, problem_.fit, 1) < most_states)
      branch = std::make_shared<const CapacityBranch>(problem_.space, problem_.fit);
    FinalResidency residency{};
    for (;;) {
      if (fits(residency)) {
        push({.bound = bound,
              .of = of,
              .residency = residency,
              .most_stalls = longest() - of->computation() - of->drain(),
              .loading = std::make_shared<const ResidencyLoading>(of->loading(residency)),
              .branch = branch});
      }
      int operand = 0;
      while (operand < operands && ++residency[operand] == problem_.tables.operands[operand].levels)
        residency[operand++] = 0;
      if (operand == operands) break;
    }
  }

  bool fits(const FinalResidency& residency) const {
    for (const SharedTiles& tiles : problem_.space.shared_tiles()) {
      const auto whole = [&](const OperandLevel& at) { return residency[at.operand] <= at.level; };
      for (const OperandLevel& other : tiles)
        if (whole(other) != whole(tiles.front())) return false;
    }
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      for (int level = residency[operand]; level < problem_.tables.operands[operand].levels; ++level) {
        if (!problem_.fit.may_fit(operand, level, problem_.space.lattice().full())) return false;
      }
    }
    return true;
  }

  void push(Subproblem node) {
    if (node.most_stalls < 0) return;
    node.bound = std::max(node.bound, node.of->least_value(node));
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

  MappingSearchOptions options_of(const Subproblem& node, bool keep_all) const {
    return {node.of->costs().single_buffer(), keep_all, node.fill, node.tables->joint.get(),
            node.branch.get()};
  }

  void begin(Subproblem& node) {
    if (!node.tables) node.tables = node.of->tables(node, best_.value);
    node.search = std::make_shared<SubproblemSearch>(
        node.of->problem(), *node.tables, node.of->objective(node), options_of(node, node.keep_all));
    node.bound = std::max(node.bound, node.search->labels.bound());
    if (!(node.bound < limit())) return;
    bytes_ += node.search->labels.memory_bytes();
    open_.push(node);
  }

  /// Partial mappings to look at before a joint cost-to-go is made: about as many as take as long.
  std::size_t patience(const Subproblem& node) const {
    constexpr double million = 1 << 20;
    const double size = node.of->joint_size(node, best_.value);
    return static_cast<std::size_t>(static_cast<double>(pace_.before_branching) *
                                    std::max(1.0, size / million));
  }

  /// Searches a little further. Subproblems take turns, so that the least of their bounds rises.
  void advance(Subproblem& node) {
    constexpr int most_mappings = 64;
    SubproblemSearch& search = *node.search;
    const std::size_t visited = search.labels.visited();
    const std::size_t bytes = search.labels.memory_bytes();
    const MappingSearch::Step step = search.labels.advance(pace_.labels_at_once, limit());
    best_.states += search.labels.visited() - visited;
    if (step == MappingSearch::Step::paused) {
      bytes_ += search.labels.memory_bytes() - bytes;
      node.bound = std::max(node.bound, std::min(search.labels.bound(), search.least_value));
      if (!search.asked_classes && search.mappings == 0 && search.labels.visited() > pace_.before_classes) {
        search.asked_classes = true;
        if (replace(node, split_by_class(*node.of, node, limit()))) return;
      }
      if (refinements().latency_dives && !search.dived && search.mappings == 0 &&
          search.labels.visited() > pace_.before_dive) {
        search.dived = true;
        dive(node);
      }
      // Operands compete for room to save energy; for the latency, mostly not.
      const std::size_t turns = goal_.objective == Objective::edp ? 1 : node.branch ? 8 : 2;
      const bool patient = search.labels.visited() < turns * patience(node);
      if (patient || !replace(node, split_by_capacity(*node.of, node))) open_.push(std::move(node));
      return;
    }
    bytes_ -= bytes;
    if (step == MappingSearch::Step::complete) {
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
    node.with_classes = refinements().fill_classes;
    node.keep_all = true;
    node.search = {};
    push(std::move(node));
  }

  /// Diving heuristic: a better incumbent leaves less to search.
  void dive(const Subproblem& node) {
    constexpr std::size_t most_labels = 1024;
    for (const double share : {0.1, 0.02}) {
      SubproblemSearch search(node.of->problem(), *node.tables, node.of->objective(node),
                              options_of(node, false));
      search.labels.prefer_deep(share);
      while (search.labels.visited() < most_labels &&
             search.labels.advance(most_labels, limit()) == MappingSearch::Step::complete)
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
    if (node.keep_all || node.with_classes || !refinements().fill_classes) return false;
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
  SharedTables shared_;
  std::vector<Beginning> beginnings_;
  std::priority_queue<Subproblem> open_;
  std::size_t bytes_ = 0;
};

}  // namespace

Certificate find_least_latency(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                               double least_energy, const SearchLimits& limits, const SearchPace& pace) {
  return LatencySearch(problem, goal, incumbent, least_energy, limits, pace).find();
}

}  // namespace zz::core
