#include "core/search/optimal/optimal_temporal_mapping.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/boundary_table.hpp"
#include "core/hardware/further_keys.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/cutoff_search.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/exhaustive.hpp"
#include "core/search/optimal/detail/latency_proof.hpp"
#include "core/search/optimal/detail/least_busy.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/temporal/loop_allocator.hpp"
#include "core/search/temporal/topmost_room.hpp"

namespace zz::core {
namespace {

/// Depth-first branch and bound (Little, Murty, Sweeney & Karel, Operations Research 11, 1963) over the
/// loop orders of one factor limit, under LOMA's greedy allocation.
///
/// The bound of a beginning of an order is the least energy over all ways to cut it, greedy or not, plus
/// the cost-to-go. The latency is only bounded as a whole, by `least_latency`. `free_bound` is a lower
/// bound over all cuts; the search ends when it is attained.
class LomaBranchAndBound {
 public:
  LomaBranchAndBound(const SearchProblem& problem, Objective objective, double least_latency,
                     double free_bound, const SearchLimits& limits, const ProcessorTime& stopwatch,
                     Certificate& best)
      : problem_(problem),
        objective_(objective),
        least_latency_(least_latency),
        free_bound_(free_bound),
        limits_(limits),
        stopwatch_(stopwatch),
        best_(best),
        costs_(energy_costs(problem)),
        cost_to_go_(problem.space, problem.fit, costs_),
        allocator_(*problem.given.layer, *problem.given.accelerator, *problem.given.fractional,
                   MappingType::uneven, problem.given.options.rules) {}

  /// False: stopped before the end.
  bool search() {
    Closed closed;
    for (auto& sums : closed) sums.fill(infinite);
    for (int operand = 0; operand < problem_.space.operands(); ++operand) closed[operand][0] = 0;
    extend(0, closed);
    return !stopped_;
  }

 private:
  /// Least energy of each operand by the number of boundaries closed somewhere below.
  using Closed = std::array<std::array<double, max_memory_levels>, max_operands>;

  void extend(std::size_t multiset, const Closed& closed) {
    const ExponentLattice& lattice = problem_.space.lattice();
    if ((++best_.states & 0xfff) == 0 && limits_.stop(stopwatch_.seconds(), 0)) stopped_ = true;
    if (stopped_ || enough()) return;
    if (multiset == lattice.full()) {
      finish();
      return;
    }
    struct Child {
      double bound;
      std::size_t kind;
      Closed closed;
    };
    std::vector<Child> children;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!problem_.space.may_follow(multiset, kind)) continue;
      Child child{0, kind, closed};
      for (int operand = 0; operand < problem_.space.operands(); ++operand)
        close(operand, multiset, kind, child.closed[operand]);
      child.bound = bound(multiset + lattice.stride(kind), child.closed);
      children.push_back(child);
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Child& a, const Child& b) { return a.bound < b.bound; });
    for (const Child& child : children) {
      if (!(child.bound < best_.value * (1 - rounding_tolerance))) break;
      mapping_.dimension[mapping_.loops] = static_cast<std::uint8_t>(lattice.kinds()[child.kind].dimension);
      mapping_.size[mapping_.loops] = lattice.kinds()[child.kind].size;
      ++mapping_.loops;
      extend(multiset + lattice.stride(child.kind), child.closed);
      --mapping_.loops;
    }
  }

  void close(int operand, std::size_t multiset, std::size_t kind,
             std::array<double, max_memory_levels>& sums) const {
    if (problem_.space.irrelevant(operand, kind)) return;
    if (problem_.space.all_irrelevant(operand, multiset)) sums[0] += *costs_.at(operand, 0, multiset);
    for (int level = 0; level + 1 < problem_.fit.levels(operand); ++level) {
      if (!problem_.fit.may_fit(operand, level, multiset)) continue;
      sums[level + 1] = std::min(sums[level + 1], sums[level] + *costs_.at(operand, level + 1, multiset));
    }
  }

  double bound(std::size_t multiset, const Closed& closed) const {
    if (objective_ == Objective::latency) return least_latency_;
    double energy = costs_.constant[0];
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      double least = infinite;
      for (int level = 0; level < problem_.fit.levels(operand); ++level)
        least = std::min(least, closed[operand][level] + *cost_to_go_.of(operand, level, multiset));
      energy += least;
    }
    return objective_ == Objective::edp ? energy * least_latency_ : energy;
  }

  bool enough() const { return best_.value <= free_bound_ * (1 + limits_.gap) * (1 + rounding_tolerance); }

  void finish() {
    CompactMapping mapping = mapping_;
    // Without temporal loops, there is one loop of one iteration.
    if (mapping.loops == 0) mapping.size[mapping.loops++] = 1;
    if (!allocator_.allocate(mapping)) return;
    const double value = problem_.value(mapping, objective_);
    if (!(value < best_.value)) return;
    best_.value = value;
    best_.mapping = mapping;
  }

  const SearchProblem& problem_;
  Objective objective_;
  double least_latency_, free_bound_;
  const SearchLimits& limits_;
  const ProcessorTime& stopwatch_;
  Certificate& best_;
  LabelCosts costs_;
  CostToGo cost_to_go_;
  LoopAllocator allocator_;
  CompactMapping mapping_;
  bool stopped_ = false;
};

/// The best of LOMA's mappings: every order of all prime factors, and of all coarser factors that a limit
/// on their number leads to. Finer factors alone can be worse, because the allocation is greedy. Where a
/// limit ends the search, only `free_bound` is proven.
/// Nothing is found when no order fits. `free_bound`: a lower bound over all orders and cuts.
/// `least_latency`: a lower bound of the latency; 0 where the objective is the energy.
Certificate find_best_loma_order(const SearchProblem& problem, Objective objective, double free_bound,
                                 double least_latency, const SearchLimits& limits) {
  const ProcessorTime stopwatch;
  Certificate best;
  bool complete = true;
  const int factors = problem.space.lattice().loops();
  // Coarse factors first: few orders, and a good start for the others.
  for (int limit = 1; limit <= std::max(1, factors); ++limit) {
    const SearchProblem coarse(problem.given, limit);
    complete = LomaBranchAndBound(coarse, objective, least_latency, free_bound, limits, stopwatch, best)
                   .search() &&
               complete;
  }
  best.lower_bound = complete ? best.value : std::min(best.value, free_bound);
  // A search that ended at the wanted gap has proven `free_bound` only.
  if (best.found() && best.value > free_bound * (1 + rounding_tolerance) &&
      best.value <= free_bound * (1 + limits.gap))
    best.lower_bound = free_bound;
  return best;
}

/// Tries LOMA's orders of at most six factors: at most some hundred, and mostly good.
void try_coarse_orders(const SearchProblem& problem, const Goal& goal, Certificate& best) {
  Loma orders(problem.given.layer, problem.given.accelerator, problem.given.fractional,
              {.rules = problem.given.options.rules});
  CompactMappings batch;
  std::optional<BoundaryTable> table;  // these orders have most of their boundaries in common
  while (!orders.finished()) {
    orders.next(batch, 256);
    if (batch.lattice && !table) table.emplace(problem.model, batch.lattice);
    for (const CompactMapping& row : batch.rows) {
      ++best.states;
      const double value = table ? value_of(goal, table->score(row)) : problem.value(row, goal);
      if (!(value < best.value)) continue;
      best.value = value;
      best.mapping = row;
    }
  }
}

/// So many mappings are evaluated in the time that the first bounds take.
constexpr double very_few = 1e3;
/// So many are evaluated where bounds do not end the search within some states.
constexpr double few = 1e5;
constexpr std::uint64_t states_before_all = 4096;

/// The best mapping for the latency, the EDP or within limits, started from the one of least energy.
Certificate least_by_time(const SearchProblem& problem, Goal goal, const Certificate& least_energy,
                          const SearchLimits& limits) {
  Certificate best;
  best.states = least_energy.states;
  if (least_energy.found()) {
    best.mapping = least_energy.mapping;
    best.value = problem.value(best.mapping, goal);
  }
  const Refinements& refinements = problem.given.refinements;
  const bool counted = refinements.few_mappings && !problem.space.lattice().kinds().empty();
  const double mappings = counted ? count_mappings(problem) : infinite;
  if (mappings > very_few) {
    const bool all_can_be_tried = mappings <= few;
    SearchLimits first = limits;
    if (all_can_be_tried) first.states = std::min(first.states, states_before_all);
    Certificate proven = best;
    if (refinements.coarse_orders) try_coarse_orders(problem, goal, proven);
    Goal bounded = goal;
    bounded.least_energy = least_energy.lower_bound * (1 - rounding_tolerance);
    proven = find_least_latency(problem, bounded, proven, least_energy.lower_bound, first);
    if (!all_can_be_tried || proven.gap() <= limits.gap + rounding_tolerance) return proven;
    best.states = proven.states;
  }
  search_exhaustively(problem, goal, best);
  best.lower_bound = best.value;
  return best;
}

/// Searches the mappings as good as `best` for the least latency, or energy.
void break_ties(const SearchProblem& problem, Objective objective, const Certificate& least_energy,
                SearchLimits limits, Certificate& best) {
  // The energy is proven in a few hundred states. Its ties should not take much longer.
  const std::uint64_t least_states = objective == Objective::energy ? 256 : 4096;
  Goal goal = objective == Objective::energy ? Objective::latency : Objective::energy;
  const double most = best.value * (1 + rounding_tolerance);
  (objective == Objective::energy ? goal.most_energy : goal.most_latency) = most;
  limits.gap = 0;
  limits.states = least_states + 2 * best.states;
  Certificate start;
  start.mapping = best.mapping;
  start.value = problem.value(best.mapping, goal);
  const Certificate found = find_least_latency(problem, goal, start, least_energy.lower_bound, limits);
  best.mapping = found.mapping;
  // With a gap, what keeps the limit may be better still.
  best.value = problem.value(best.mapping, objective);
  best.second_bound = found.lower_bound;
  best.states += found.states;
}

Certificate search_space(const MappingProblem& given, const OptimumOptions& options) {
  const ProcessorTime stopwatch;
  const SearchProblem problem(given);
  Certificate least_energy = find_least_energy(problem, options.limits);
  if (!least_energy.found() && least_energy.lower_bound == infinite) {
    refuse_small_topmost_memories(*given.layer, *given.accelerator, given.options.rules,
                                  given.fractional.get());
    throw NoResult(fmt::format("layer '{}': no order of its temporal loops fits into the memories of '{}'",
                               given.layer->name, given.accelerator->name));
  }
  const auto rest = [&] {
    SearchLimits limits = options.limits;
    limits.seconds -= stopwatch.seconds();
    return limits;
  };
  if (!least_energy.found()) {
    const double bound = least_energy.lower_bound;
    try_coarse_orders(problem, Objective::energy, least_energy);
    least_energy.lower_bound = std::min(bound, least_energy.value);
    if (!least_energy.found()) {
      throw NotFound(fmt::format(
          "layer '{}': no temporal mapping was found within the limits of the search; more time_limit or "
          "memory_limit looks further",
          given.layer->name));
    }
  }
  const bool loops = !problem.space.lattice().kinds().empty();
  if (options.allowed.any()) {
    Certificate best = least_by_time(problem, {options.objective, options.allowed}, least_energy, rest());
    if (!best.found()) {
      if (best.lower_bound != infinite)
        throw NotFound(
            fmt::format("layer '{}': no temporal mapping was found in time that keeps the limits of energy "
                        "and latency; "
                        "more time_limit looks further",
                        given.layer->name));
      throw NoResult(fmt::format("layer '{}': no temporal mapping keeps the limits of energy and latency",
                                 given.layer->name));
    }
    best.second_bound = 0;
    return best;
  }
  if (options.objective == Objective::energy && options.space == MappingSpace::free_cuts) {
    Certificate best = least_energy;
    if (options.break_ties && loops) break_ties(problem, Objective::energy, least_energy, rest(), best);
    return best;
  }
  Certificate best = least_energy;
  double least_latency = 0;
  if (options.objective != Objective::energy) {
    best = least_by_time(problem, options.objective, least_energy, rest());
    if (options.space == MappingSpace::free_cuts) {
      const bool ties = options.break_ties && loops && options.objective == Objective::latency;
      if (!ties) best.second_bound = 0;
      if (ties && best.second_bound == 0)
        break_ties(problem, Objective::latency, least_energy, rest(), best);
      return best;
    }
    least_latency = options.objective == Objective::latency
                        ? best.lower_bound
                        : least_by_time(problem, Objective::latency, least_energy, rest()).lower_bound;
  }
  Certificate loma =
      find_best_loma_order(problem, options.objective, best.lower_bound, least_latency, rest());
  if (!loma.found()) {
    throw NotFound(
        fmt::format("layer '{}': LOMA's allocation of no order of its temporal loops fits into the "
                    "memories of '{}'; others may",
                    given.layer->name, given.accelerator->name));
  }
  loma.states += best.states;
  return loma;
}

/// Searches the chains of each length for something better.
void search_lengths(const MappingProblem& given, const OptimumOptions& options,
                    const ProcessorTime& stopwatch, Certificate& best) {
  constexpr double enumerable = 1e5;
  for (const TileLengths& lengths : competing_lengths(given)) {
    MappingProblem longer = given;
    longer.lengths = lengths;
    SearchLimits limits = options.limits;
    limits.seconds -= stopwatch.seconds();
    limits.states -= std::min(limits.states, best.states);
    const CutoffResult found =
        find_below(longer, {options.objective, options.allowed}, best.value, limits, enumerable);
    const double bound = std::min(best.lower_bound, found.best.lower_bound);
    const std::uint64_t states = best.states + found.best.states;
    if (found.best.found()) best = found.best;
    best.lower_bound = bound;
    best.states = states;
    best.second_bound = 0;  // ties were broken among tiles that divide
  }
  if (best.gap() == 0) best.lower_bound = best.value;
}

/// The proof of the only mapping that competes.
Certificate certificate_of(const MappingProblem& given, const OptimumOptions& options,
                           const CompactMapping& only) {
  Certificate found;
  found.mapping = only;
  found.states = 1;
  found.value = found.lower_bound = value_of(given, only, {options.objective, options.allowed});
  if (!found.found())
    throw NoResult(fmt::format(
        "layer '{}': the temporal mapping that the mapping file prescribes {}", given.layer->name,
        options.allowed.any() ? "does not keep the limits of energy and latency"
                              : "moves partial sums through a memory that has no port for them"));
  if (options.break_ties && options.objective != Objective::edp && !options.allowed.any())
    found.second_bound = value_of(
        given, only, options.objective == Objective::energy ? Objective::latency : Objective::energy);
  return found;
}

}  // namespace

bool may_have_chains(const Layer& layer, const Accelerator& accelerator, const Rules& rules) {
  const OperationalArray& array = accelerator.array;
  return layer.mapping.temporal_ordering.empty() && !gives_original_figures(rules) && !array.imc &&
         !array.fold && !array.instruction && !asks_for_layouts(accelerator);
}

std::vector<TileLengths> competing_lengths(const MappingProblem& problem) {
  constexpr double most_multisets = 1 << 18;
  if (!problem.lengths.empty() ||
      !may_have_chains(*problem.layer, *problem.accelerator, problem.options.rules))
    return {};
  std::vector<TileLengths> competing = chain_lengths(searched_loops(problem), problem.layer->loops.size());
  std::erase_if(competing, [&](const TileLengths& lengths) {
    MappingProblem longer = problem;
    longer.lengths = lengths;
    return count_multisets(longer) > most_multisets;
  });
  return competing;
}

Certificate find_optimal_mapping(const MappingProblem& given, const OptimumOptions& options) {
  if (const std::optional<CompactMapping> only = prescribed_mapping(given))
    return certificate_of(given, options, *only);
  const ProcessorTime stopwatch;
  Certificate found = search_space(given, options);
  if (options.chains && options.space == MappingSpace::free_cuts)
    search_lengths(given, options, stopwatch, found);
  // LOMA's allocation leaves no choice of where memories end.
  if (options.break_ties && options.space == MappingSpace::free_cuts)
    found.mapping = least_busy(given, found.mapping);
  return found;
}

TemporalMapping readable(const CompactMapping& mapping, const Layer& layer,
                         const SpatialMapping& spatial_mapping) {
  return named_mapping(mapping, layer, spatial_mapping, MappingType::uneven);
}

}  // namespace zz::core
