#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/bound/menu_bound.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Way to search allocations where cuts stay.
enum class SearchMethod {
  automatic,   ///< exhaustive when the space is small, else genetic, with annealing where orders move
  genetic,     ///< climbs from the leanest and fastest allocations so far; named for Stream's method
  exhaustive,  ///< every allocation, symmetric ones once
  annealing,   ///< allocation and order together, for the objective
};

struct ScheduleSearchOptions {
  /// The figure of ScheduleSearchResult::best and of annealing. Other methods look for small energies and
  /// latencies alike.
  Objective objective = Objective::latency;
  std::int64_t evaluation_limit = 0;  ///< schedules
  /// Seconds of wall-clock time; 0: none. What is being made when it is over is given up a quarter of a
  /// second later, be it the first schedule. With a limit, results may vary between runs.
  double time_limit = 0;
  std::uint64_t seed = 0;

  /// Where cuts stay.
  SearchMethod method = SearchMethod::automatic;
  int individuals = 16;       ///< allocations proposed at once
  int generations = 16;       ///< without `evaluation_limit`: how often they are, after the first ones
  bool orders_move = false;   ///< dispatch rules, orders and back-filling are searched as well
  ScheduleChoice order = {};  ///< of every schedule, without cores, unless orders move
  /// Choices of this problem that are evaluated before all others, which go on from the best of them.
  std::vector<ScheduleChoice> known = {};
  std::function<void()> on_schedule = {};  ///< called for each schedule that was made, on any thread

  /// Where cuts move, and orders with them.
  std::vector<CutEntry> start;  ///< a partition to begin with; empty: none
  /// The allocation and order of the start, when its problem is known; may be empty.
  std::function<ScheduleChoice(const ScheduleProblem&)> start_choice = {};
  std::vector<std::string> dimensions;  ///< loops that may be cut; empty: all
  /// Runs of the network, with constants that are shared (graph/samples.hpp).
  int samples = 1;
  /// The schedule of all samples begins again every period (ScheduleChoice::period). Wherever the search
  /// says latency, that of its objective too, it is the least period then.
  bool steady_state = false;
  /// In the steady state constants may stay from one repeat to the next (ScheduleChoice::resident).
  bool resident = false;
  /// Nodes of a graph, of all samples; 0: usual_most_nodes(), and as many as the search for one sample has
  /// for the graph of that.
  int most_nodes = 0;
  /// Costs of pieces until the search knows which of them it needs; empty: none, all are asked. What is
  /// handed on is made of the answers themselves, and bounds hold for these, whatever they may be. Only
  /// ScheduleSearchResult::best_uniform may be of first answers. With a limit of time, what was found since
  /// costs were last settled is lost.
  FirstAnswers first_answers = {};
  /// The seconds that `time_limit` counts, from any beginning; empty: those of the machine.
  std::function<double()> clock = {};
  /// Called with the number of steps made, the best figure so far, and the bound that it cannot be below,
  /// from the calling thread.
  std::function<void(std::int64_t steps, double best, double bound)> on_progress = {};
  /// Called when the run is interrupted while there is something to hand on, which the search then does.
  std::function<void()> on_interruption = {};
};

/// Most nodes of the graph of a network, unless they are given: 1000, or eight for each layer and sample.
int usual_most_nodes(std::size_t layers, int samples);

/// A choice of cuts, cores and order, with figures of its schedule. In the steady state its latency is the
/// period, or of a repeat where that is given; where cuts move, its resident layers are those that do stay.
struct FoundSchedule {
  std::vector<CutEntry> cuts;                      ///< where they move
  std::shared_ptr<const ScheduleProblem> problem;  ///< the graph with its costs
  ScheduleChoice choice;
  double latency = 0, energy = 0;
};

/// The steps of a search where cuts move, by its phases. Each phase has a share of the limits.
struct SearchSteps {
  std::int64_t uniform = 0;  ///< of the start, and of cuts that are the same for all layers
  std::int64_t spread = 0;   ///< that spread a layer over the cores
  std::int64_t walks = 0;

  std::int64_t all() const { return uniform + spread + walks; }
};

struct ScheduleSearchResult {
  std::vector<FoundSchedule> front;  ///< by ascending energy: those that no other beats in both figures
  FoundSchedule best;                ///< of the front, by the objective
  MenuBounds bounds;                 ///< of every choice; where cuts stay, of the latency only
  double first_bound = 0;            ///< with several samples: of the latency of the first one
  std::int64_t schedules = 0;        ///< made
  std::int64_t infeasible = 0;       ///< of these, where cuts stay
  bool exhaustive = false;           ///< every allocation was tried
  std::string reason;                ///< when the front is empty: why nothing fits

  /// Where cuts move.
  double best_uniform = 0;         ///< of the cuts that are the same for all layers
  bool uniform_of_first = false;   ///< its costs may be first answers (CutPrices)
  SearchSteps steps;               ///< schedules, and plans that were known or could not win
  std::int64_t steps_of_one = 0;   ///< with several samples: those of them that were for one
  std::int64_t cuts = 0;           ///< that competed, of all layers
  std::int64_t cuts_left_out = 0;  ///< ... and that did not because of ...
  int most_nodes = 0;              ///< ... these of a graph, ...
  int plans = 0;                   ///< starts in segments, with several samples, or with rows in lockstep
  std::int64_t most_pieces = 0;    ///< ... and these of a layer in a sample
  /// The search ended before any cuts but those of the first schedule competed; the bounds are of these.
  bool only_first_cuts = false;
};

/// Searches for schedules of a graph: cuts stay. Without `evaluation_limit` it makes as many schedules as
/// individuals and generations ask for. Choices that are equal, or that only exchange identical cores, are
/// evaluated once. An interruption ends the search with what it has; one that comes before it has begun is
/// thrown on. With `time_limit` one schedule comes before all guesses, and time is left to make that of one
/// result. The same seed gives the same result with any number of threads.
ScheduleSearchResult search_schedules(const std::shared_ptr<const ScheduleProblem>& problem,
                                      const ScheduleSearchOptions& options, const ParallelFor& parallel);

/// Searches for schedules of a network: cuts move, by the physical rules. Before the costs of other cuts
/// are asked, one schedule is made of whole layers, or of `start`, so that a limit or an interruption
/// nearly always leaves a result. Then come cuts that are the same for all layers, and `start`, then layers
/// that are spread, then walks by simulated annealing from the best of these. With several samples the
/// search for one of them comes first, with as many steps as it has alone, each of which counts as a part
/// of a step, and with a share of a limit of time; walks begin at its best schedules, too, repeated for one
/// sample after the other, the best one with whatever nodes that takes. The result is never worse than the
/// best of the first part. Each part has its share of the limits, but the first partitions are tried in any
/// case where the costs leave time: 32 of one sample and, with several, 8 of all, beside the best schedule
/// of one sample in its repeats. `time_limit` counts the costs, too: the shares are of what they leave. The
/// same seed gives the same result with any number of threads.
///
/// Throws InputError as check_cuts(), NoResult when nothing was found that fits, naming a layer and why it
/// does not, NotFound when `time_limit` ended the search before the first schedule, Interrupted when the
/// run is to end and there is nothing to hand on.
ScheduleSearchResult search_schedules(const Workload& workload,
                                      const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                      const ScheduleSearchOptions& options, const AnswerQuestions& answer,
                                      const ParallelFor& parallel);

/// Throws InputError for dimensions that no layer has, and for a start that does not fit the network.
void check_cuts(const Workload& workload, const ScheduleSearchOptions& options);

/// Throws InputError, naming the layer with the smallest constants, where those of no layer have room on
/// all its cores together.
void check_resident(const Workload& workload, const MultiCoreAccelerator& accelerator);

}  // namespace zz::core
