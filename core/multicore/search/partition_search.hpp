#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/cut_prices.hpp"
#include "core/multicore/search/partition.hpp"
#include "core/multicore/search/partition_bound.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// What a search over cuts makes as small as it can.
enum class PartitionObjective { latency, energy, edp };

double figure_of(PartitionObjective objective, double latency, double energy);
const LimitedFigure& figure_of(PartitionObjective objective, const PartitionBounds& bounds);

struct PartitionOptions {
  PartitionObjective objective = PartitionObjective::latency;
  std::vector<CutEntry> start;  ///< a partition to begin with; empty: none
  /// The allocation and order of the start, when its problem is known; may be empty.
  std::function<ScheduleChoice(const ScheduleProblem&)> start_choice = {};
  std::vector<std::string> dimensions;     ///< loops that may be cut; empty: all
  int most_nodes = 1000;                   ///< of a graph
  std::int64_t evaluation_limit = 20'000;  ///< schedules
  double time_limit = 0;                   ///< seconds; 0: none. With a limit, results may vary
  std::uint64_t seed = 0;
  /// Called with the number of steps made, the best figure so far, and the bound that it cannot be below,
  /// from the calling thread.
  std::function<void(std::int64_t steps, double best, double bound)> on_progress = {};
  /// Called when Interrupted ends the search, which then hands on what it has.
  std::function<void()> on_interruption = {};
};

/// A partition with the schedule that was found for it.
struct FoundPartition {
  std::vector<CutEntry> hints;
  ScheduleChoice choice;
  std::shared_ptr<const ScheduleProblem> problem;  ///< the graph with its costs
  double latency = 0, energy = 0;
};

struct PartitionResult {
  std::vector<FoundPartition> front;  ///< by ascending energy: those that no other beats in both figures
  FoundPartition best;                ///< by the objective
  double best_uniform = 0;            ///< of the cuts that are the same for all layers
  std::int64_t schedules = 0;         ///< made
  std::int64_t steps = 0;             ///< schedules, and choices that could not win without one
  std::int64_t cuts = 0;              ///< that competed, of all layers
  PartitionBounds bounds;             ///< of all choices from these cuts
};

/// Searches for cuts of all layers, allocation, dispatch rule, order and back-filling together: first cuts
/// that are the same for all layers, and `start`, then walks side by side from the best of these by
/// simulated annealing (S. Kirkpatrick et al., Science 1983). The result is never worse than the best of
/// the first part. The same seed gives the same result with any number of threads.
///
/// Throws InputError for dimensions that no layer has and hints that do not fit the network, NoResult when
/// nothing was found that fits, naming a layer and why it does not, Interrupted when the run is to end and
/// there is nothing to hand on.
PartitionResult search_partitions(const Workload& workload,
                                  const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                  const PartitionOptions& options, const AnswerQuestions& answer,
                                  const ParallelFor& parallel);

}  // namespace zz::core
