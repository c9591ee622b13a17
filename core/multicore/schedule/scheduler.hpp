#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// Choice of the next node among the ready ones.
enum class DispatchRule {
  rank,            ///< the first in the order: Stream's. Looks at no times
  earliest_start,  ///< the one that can start first; ties by rank
  critical_path,   ///< earliest predecessor end minus weight * longest remaining path; ties by rank
};

/// The rule that Stream's setting `scheduler_candidate_selection` names: "latency" is earliest_start,
/// "critical_path" itself, any other text rank. With Rules::candidate_selection_ignored always rank.
DispatchRule dispatch_rule_of(std::string_view candidate_selection, const Rules& rules);

/// "rank", "earliest_start", "critical_path": as Schedule::dispatch and result files name them.
const char* dispatch_name(DispatchRule rule);

/// One point of the search space of schedules: a core for each gene, and the order of the nodes.
struct ScheduleChoice {
  std::vector<int> cores;  ///< of each gene
  DispatchRule dispatch = DispatchRule::rank;
  double weight = 10;  ///< of critical_path
  /// When not empty: the rank of a node is offset[layer] + slope[layer] * n / N, as the n-th of N nodes of
  /// its layer in a sample, instead of its number in the order of the problem; the smallest first.
  std::vector<double> layer_offset, layer_slope;
  bool back_filling = false;  ///< a node may use an idle gap of its core before nodes scheduled earlier
  /// Samples that are in flight at once: nodes of another one are placed only when all of the first of
  /// these have been. 0: all of them.
  int samples_at_once = 0;
  /// The layers, ascending and without the first one, at which segments begin: all samples go through a
  /// segment before the first one goes on to the next, so that its constants may stay while they do. Those
  /// in flight may be in two segments. No layer reads from one of a later segment.
  std::vector<int> segments;
  static constexpr double least_period = -1;
  /// In the steady state: cycles after which the schedule begins again, with the next samples, whether or
  /// not it has ended (schedule.hpp): nodes and transfers are placed beside those of other repeats, as far
  /// as memories allow. least_period: the schedule is made as if there were no others, and begins again as
  /// soon as cores, links and memories allow. 0: it is made once.
  double period = 0;
  /// In the steady state: the layers whose constants stay in the memories of their cores from one repeat to
  /// the next, in the order in which they take room there. Those that find none beside the largest node
  /// stay out, and so do those whose memories some node empties for its streams.
  std::vector<int> resident;

  bool operator==(const ScheduleChoice&) const = default;
};

struct ScheduleFigures {
  bool feasible = false;
  double latency = 0;  ///< cycles
  double energy = 0;   ///< pJ
  double period = 0;   ///< cycles; 0: the schedule is made once

  /// The cycles that a search makes few: of the steady state those from repeat to repeat.
  double cycles() const { return period > 0 ? period : latency; }
};

/// List scheduling of nodes with all transfers, evictions and memory contents. (R. L. Graham:
/// Bounds on Multiprocessing Timing Anomalies, SIAM J. Appl. Math. 1969; for fused layers: A. Symons et
/// al.: Stream, IEEE TC 2024.) The main loop is in detail/list_scheduler.cpp.
///
/// One scheduler keeps its tables between calls and belongs to one thread; several may share a problem. The
/// result depends on the choice alone.
class Scheduler {
 public:
  explicit Scheduler(std::shared_ptr<const ScheduleProblem> problem);
  ~Scheduler();
  Scheduler(Scheduler&&) noexcept;

  /// Figures only. An infeasible choice is no error; reason() then says why.
  ScheduleFigures evaluate(const ScheduleChoice& choice);
  /// Why the last evaluation was infeasible: node, tensor and memory by name, and what would help.
  const std::string& reason() const;
  /// Layers of ScheduleChoice::resident that do stay in the last evaluation or schedule, in their order.
  const std::vector<int>& resident() const;
  /// The whole schedule. Throws NoResult with reason() when the choice is infeasible, InputError when it
  /// names a core that is no candidate, or a period at which repeats collide.
  Schedule schedule(const ScheduleChoice& choice);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace zz::core
