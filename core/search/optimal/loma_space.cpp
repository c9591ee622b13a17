#include "core/search/optimal/loma_space.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/search/loma/loop_allocator.hpp"
#include "core/search/optimal/free_cut_energy.hpp"
#include "core/search/optimal/remaining_cost.hpp"

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The orders of the factors that one limit leaves.
class OrderWalk {
 public:
  OrderWalk(const SearchProblem& problem, Objective objective, double least_latency, double free_bound,
            const SearchLimits& limits, const Stopwatch& stopwatch, Certificate& best)
      : problem_(problem),
        objective_(objective),
        least_latency_(least_latency),
        free_bound_(free_bound),
        limits_(limits),
        stopwatch_(stopwatch),
        best_(best),
        costs_(energy_costs(problem)),
        remaining_(problem.space, problem.fit, costs_),
        allocator_(*problem.given.layer, *problem.given.accelerator, *problem.given.fractional,
                   MappingType::uneven) {}

  /// False: stopped before the end.
  bool run() {
    Closed closed;
    for (auto& sums : closed) sums.fill(infinity);
    for (int operand = 0; operand < problem_.space.operands(); ++operand) closed[operand][0] = 0;
    extend(0, closed);
    return !stopped_;
  }

 private:
  /// Least energy of each operand with so many links closed somewhere below.
  using Closed = std::array<std::array<double, max_memory_levels>, max_operands>;

  void extend(std::size_t vector, const Closed& closed) {
    const ExponentLattice& lattice = problem_.space.lattice();
    if ((++best_.states & 0xfff) == 0 && limits_.stop(stopwatch_.seconds(), 0)) stopped_ = true;
    if (stopped_ || enough()) return;
    if (vector == lattice.full()) {
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
      if (!problem_.space.may_follow(vector, kind)) continue;
      Child child{0, kind, closed};
      for (int operand = 0; operand < problem_.space.operands(); ++operand)
        close(operand, vector, kind, child.closed[operand]);
      child.bound = bound(vector + lattice.stride(kind), child.closed);
      children.push_back(child);
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Child& a, const Child& b) { return a.bound < b.bound; });
    for (const Child& child : children) {
      if (!(child.bound < best_.value * (1 - rounding_tolerance))) break;
      mapping_.dimension[mapping_.loops] = static_cast<std::uint8_t>(lattice.kinds()[child.kind].dimension);
      mapping_.size[mapping_.loops] = lattice.kinds()[child.kind].size;
      ++mapping_.loops;
      extend(vector + lattice.stride(child.kind), child.closed);
      --mapping_.loops;
    }
  }

  void close(int operand, std::size_t vector, std::size_t kind,
             std::array<double, max_memory_levels>& sums) const {
    if (problem_.space.irrelevant(operand, kind)) return;
    if (problem_.space.all_irrelevant(operand, vector)) sums[0] += *costs_.at(operand, 0, vector);
    for (int level = 0; level + 1 < problem_.fit.levels(operand); ++level) {
      if (!problem_.fit.fits(operand, level, vector, false)) continue;
      sums[level + 1] = std::min(sums[level + 1], sums[level] + *costs_.at(operand, level + 1, vector));
    }
  }

  double bound(std::size_t vector, const Closed& closed) const {
    if (objective_ == Objective::latency) return least_latency_;
    double energy = costs_.constant[0];
    for (int operand = 0; operand < problem_.space.operands(); ++operand) {
      double least = infinity;
      for (int level = 0; level < problem_.fit.levels(operand); ++level)
        least = std::min(least, closed[operand][level] + *remaining_.of(operand, level, vector));
      energy += least;
    }
    return objective_ == Objective::edp ? energy * least_latency_ : energy;
  }

  bool enough() const { return best_.value <= free_bound_ * (1 + limits_.gap) * (1 + rounding_tolerance); }

  void finish() {
    CompactMapping mapping = mapping_;
    // One iteration stands for "once" where nothing remains in time.
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
  const Stopwatch& stopwatch_;
  Certificate& best_;
  LinkCosts costs_;
  RemainingCost remaining_;
  LoopAllocator allocator_;
  CompactMapping mapping_;
  bool stopped_ = false;
};

}  // namespace

Certificate find_best_loma_order(const SearchProblem& problem, Objective objective, double free_bound,
                                 double least_latency, const SearchLimits& limits) {
  const Stopwatch stopwatch;
  Certificate best;
  bool complete = true;
  const int factors = problem.space.lattice().loops();
  // Coarse factors first: few orders, and a good start for the others.
  for (int limit = 1; limit <= std::max(1, factors); ++limit) {
    const SearchProblem coarse(problem.given, limit);
    complete =
        OrderWalk(coarse, objective, least_latency, free_bound, limits, stopwatch, best).run() && complete;
  }
  best.lower_bound = complete ? best.value : std::min(best.value, free_bound);
  // A search that ended because the result is good enough has proven no more than the bound.
  if (best.found() && best.value > free_bound * (1 + rounding_tolerance) &&
      best.value <= free_bound * (1 + limits.gap))
    best.lower_bound = free_bound;
  return best;
}

}  // namespace zz::core
