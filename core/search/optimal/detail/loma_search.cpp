#include "core/search/optimal/detail/loma_search.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/search/methods/processor_time.hpp"
#include "core/search/optimal/detail/cost_to_go.hpp"
#include "core/search/optimal/detail/energy_search.hpp"
#include "core/search/temporal/loop_allocator.hpp"

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
      if (!problem_.fit.fits(operand, level, multiset, false)) continue;
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

}  // namespace

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

}  // namespace zz::core
