#include "core/multicore/search/schedule_search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/search/detail/cut_walks.hpp"
#include "core/multicore/search/detail/exhaustive_search.hpp"
#include "core/multicore/search/detail/first_cuts.hpp"
#include "core/multicore/search/detail/gene_walks.hpp"
#include "core/multicore/search/schedule_bound.hpp"

namespace zz::core {
namespace {

/// Exhaustive search of so many allocations takes no longer than another one of usual size.
constexpr double few_allocations = 4096;

double time_until_the_end(const ScheduleSearchOptions& options) {
  return options.time_limit > 0 ? options.time_limit + seconds_of_grace
                                : std::numeric_limits<double>::infinity();
}

/// Schedules that may be made.
std::int64_t budget(const ScheduleSearchOptions& options) {
  if (options.evaluation_limit > 0) return options.evaluation_limit;
  return static_cast<std::int64_t>(std::max(1, options.individuals)) *
         (std::max(0, options.generations) + 1);
}

void choose_best(ScheduleSearchResult& result, Objective objective) {
  const auto value = [&](const FoundSchedule& found) {
    return value_of(objective, found.energy, found.latency);
  };
  const auto best =
      std::min_element(result.front.begin(), result.front.end(),
                       [&](const FoundSchedule& a, const FoundSchedule& b) { return value(a) < value(b); });
  if (best != result.front.end()) result.best = *best;
}

[[noreturn]] void refuse_time_limit(double seconds, const CutPrices& costs) {
  throw NotFound(fmt::format(
      "'time_limit' ended the search after {:g} s, before its first schedule was made. It counts "
      "the costs of cuts as well, of which {} of {} were known. Give more time, or let fewer cuts "
      "compete: by 'cut_dimensions', 'most_nodes'",
      seconds, costs.answered(), costs.asked()));
}

/// A search for cores, and orders where they move, of a graph that is given.
class FixedCutsSearch {
 public:
  FixedCutsSearch(const std::shared_ptr<const ScheduleProblem>& problem,
                  const ScheduleSearchOptions& options, const ParallelFor& parallel)
      : problem_(problem),
        options_(options),
        space_(search_space(*problem, options.orders_move)),
        random_(options.seed, 0),
        bound_(schedule_bound(*problem)),
        parallel_(parallel),
        evaluator_([this] { return evaluator_of_one_thread(); }, CoreSymmetry(*problem), parallel,
                   {budget(options), options.time_limit}) {}

  ScheduleSearchResult search() {
    try {
      run();
    } catch (const Interrupted&) {
      exhaustive_ = false;
    }
    return result();
  }

 private:
  void run() {
    switch (options_.method) {
      case SearchMethod::automatic:
        if (space_.orders)
          climb_and_anneal();
        else if (space_.allocations() <=
                 std::min(few_allocations, static_cast<double>(evaluator_.remaining())))
          try_all();
        else
          climb(evaluator_.remaining(), options_.individuals);
        break;
      case SearchMethod::genetic:
        climb(evaluator_.remaining(), options_.individuals);
        break;
      case SearchMethod::exhaustive:
        try_all();
        break;
      case SearchMethod::annealing:
        anneal();
        break;
    }
  }

  /// Where orders do not move, the caller says how the next node is chosen.
  ScheduleChoice ordered(const ScheduleChoice& choice) const {
    if (space_.orders) return choice;
    ScheduleChoice ordered = options_.order;
    ordered.cores = choice.cores;
    return ordered;
  }

  EvaluateChoice evaluator_of_one_thread() const {
    const auto scheduler = std::make_shared<Scheduler>(problem_);
    return [this, scheduler](const ScheduleChoice& choice, std::string* reason) {
      const ScheduleFigures figures = scheduler->evaluate(ordered(choice));
      if (!figures.feasible && reason) *reason = scheduler->reason();
      if (options_.on_schedule) options_.on_schedule();
      return figures;
    };
  }

  std::vector<ScheduleChoice> usual_orders() const {
    return space_.orders ? sensible_orders(space_) : std::vector<ScheduleChoice>(1);
  }

  /// Every allocation; where orders move, with each of the usual ones.
  void try_all() {
    const bool all =
        search_exhaustively(space_, PartialBound(*problem_, bound_), usual_orders(), evaluator_);
    exhaustive_ = all && !space_.orders;
  }

  /// Estimates, and so a guide, know nothing of orders.
  void climb(std::int64_t schedules, int at_once) {
    std::optional<AllocationGuide> guide;
    if (!space_.orders)
      guide.emplace(problem_, space_, options_.seed, random_, evaluator_, schedules, parallel_);
    climb_genes(space_, at_once, schedules, random_, evaluator_, guide ? &*guide : nullptr);
  }

  void climb_and_anneal() {
    climb(evaluator_.remaining() / 4, std::max(options_.individuals, 32));
    anneal();
  }

  /// From the best so far and from guesses.
  void anneal() {
    constexpr std::size_t found_starts = 2, most_starts = 8;
    std::vector<ScheduleChoice> starts;
    const auto& points = evaluator_.front().points();
    for (auto point = points.rbegin(); point != points.rend() && starts.size() < found_starts; ++point)
      starts.push_back(point->choice);
    const std::vector<std::vector<int>> cores = GeneMoves(space_, random_).sensible_cores();
    const std::vector<ScheduleChoice> orders = usual_orders();
    for (std::size_t i = 0; i < orders.size() && starts.size() < most_starts; ++i) {
      starts.push_back(orders[i]);
      starts.back().cores = cores[i % cores.size()];
    }
    anneal_genes(space_, starts, options_.objective, evaluator_.remaining(), random_, evaluator_);
  }

  ScheduleSearchResult result() {
    ScheduleSearchResult result;
    for (const auto& point : evaluator_.front().points())
      result.front.push_back({{}, problem_, ordered(point.choice), point.latency, point.energy});
    choose_best(result, options_.objective);
    result.bounds.latency.value = bound_;
    result.schedules = evaluator_.evaluations();
    result.infeasible = evaluator_.infeasible();
    result.exhaustive = exhaustive_;
    if (result.front.empty()) result.reason = evaluator_.reason();
    return result;
  }

  std::shared_ptr<const ScheduleProblem> problem_;
  const ScheduleSearchOptions& options_;
  SearchSpace space_;
  RandomNumbers random_;
  double bound_;
  ParallelFor parallel_;
  bool exhaustive_ = false;
  ChoiceEvaluator evaluator_;
};

}  // namespace

ScheduleSearchResult search_schedules(const std::shared_ptr<const ScheduleProblem>& problem,
                                      const ScheduleSearchOptions& options, const ParallelFor& parallel) {
  const Deadline deadline(time_until_the_end(options));
  return FixedCutsSearch(problem, options, parallel).search();
}

ScheduleSearchResult search_schedules(const Workload& workload,
                                      const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                      const ScheduleSearchOptions& options, const AnswerQuestions& answer,
                                      const ParallelFor& parallel) {
  const auto layers = static_cast<int>(workload.layers.size());
  if (options.most_nodes < layers)
    throw InputError(fmt::format("{} layers are at least {} computation nodes, but 'most_nodes' is {}",
                                 layers, layers, options.most_nodes));

  std::optional<Deadline> deadline(std::in_place, time_until_the_end(options));
  const FirstCuts first = first_cuts(workload, options);
  PartitionGraphs graphs(workload, accelerator, first.menus);
  CutPrices costs(accelerator, answer);
  std::optional<CutWalks> walks;
  const auto bounds = [&] { return menu_bounds(workload, *accelerator, priced_menus(graphs, costs)); };

  bool interrupted = false;
  try {
    walks.emplace(graphs, costs, accelerator, options, parallel);
    price_menus(graphs, costs, parallel);
    walks->begin(first.partitions, bounds);
    walks->spread_layers();
    walks->anneal();
  } catch (const Interrupted&) {
    interrupted = interruption.of_run() || options.time_limit <= 0;
    const bool nothing = !walks || walks->front().empty();
    if (nothing && !interrupted) refuse_time_limit(options.time_limit, costs);
    if (interrupted && (nothing || !options.on_interruption)) throw;
  }
  deadline.reset();
  if (interrupted) options.on_interruption();

  if (walks->front().empty())
    throw NotFound(
        "none of the cuts that were tried has a schedule that fits the memories; a larger evaluation_limit "
        "or time_limit tries more");
  ScheduleSearchResult result;
  for (const CutWalks::Point& point : walks->front()) {
    result.front.push_back(CutWalks::found(point));
    result.front.back().cuts = cut_entries_of(point.choice.choice.cuts, graphs.cuts(), workload);
  }
  choose_best(result, options.objective);
  result.bounds = bounds();  // costs that walks asked for compete as well
  result.schedules = walks->schedules();
  result.steps = walks->steps();
  // A search that ended amid its first cuts has nothing else.
  result.best_uniform = std::isfinite(walks->best_uniform())
                            ? walks->best_uniform()
                            : value_of(options.objective, result.best.energy, result.best.latency);
  for (const CutMenu& menu : graphs.cuts()) result.cuts += static_cast<std::int64_t>(menu.size());
  return result;
}

}  // namespace zz::core
