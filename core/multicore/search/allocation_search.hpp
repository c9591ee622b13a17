#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/parallel_for.hpp"
#include "core/search/methods/pareto_front.hpp"

namespace zz::core {

enum class SearchMethod {
  automatic,   ///< exhaustive when the space is small, else genetic with annealing of the orders
  genetic,     ///< NSGA-II over the allocation
  exhaustive,  ///< every allocation, symmetric ones once
  annealing,   ///< allocation and order together, for latency
};

struct AllocationOptions {
  SearchMethod method = SearchMethod::automatic;
  int individuals = 16;  ///< of a generation
  int generations = 16;
  std::int64_t evaluation_limit = 0;  ///< schedules; 0: what individuals and generations make
  double time_limit = 0;              ///< seconds; 0: none. With a limit, results may vary between runs
  std::uint64_t seed = 0;
  bool search_order = false;               ///< dispatch rules, orders and back-filling are searched as well
  ScheduleChoice order = {};               ///< of every schedule, without cores, unless orders are searched
  std::function<void()> on_schedule = {};  ///< called for each schedule that was made, on any thread
};

/// A point of the Pareto front over latency and energy.
using ParetoPoint = FrontPoint<ScheduleChoice>;

struct AllocationResult {
  std::vector<ParetoPoint> front;  ///< by ascending energy, so the last has the smallest latency
  std::int64_t evaluations = 0;    ///< schedules made
  std::int64_t infeasible = 0;
  bool exhaustive = false;   ///< every allocation was tried
  double latency_bound = 0;  ///< cycles; no schedule is shorter
  std::string reason;        ///< when the front is empty: why nothing fits
};

/// Searches for the best allocations of a problem, and orders with `search_order`. The same seed gives the
/// same result with any number of threads. Genomes that are equal, or that only exchange identical cores,
/// are evaluated once. `stop` is polled between generations; when it returns true the search ends with what
/// it has.
AllocationResult search_allocations(std::shared_ptr<const ScheduleProblem> problem,
                                    const AllocationOptions& options, const ParallelFor& parallel,
                                    const std::function<bool()>& stop);

}  // namespace zz::core
