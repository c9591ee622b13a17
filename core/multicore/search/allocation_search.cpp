#include "core/multicore/search/allocation_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/multicore/search/detail/allocation_guide.hpp"
#include "core/multicore/search/detail/choice_evaluator.hpp"
#include "core/multicore/search/detail/search_space.hpp"
#include "core/multicore/search/exhaustive_search.hpp"
#include "core/multicore/search/genetic_search.hpp"
#include "core/multicore/search/latency_bound.hpp"
#include "core/multicore/search/order_annealing.hpp"

namespace zz::core {
namespace {

/// Exhaustive search of so many allocations takes no longer than a genetic one of usual size.
constexpr double few_allocations = 4096;

std::int64_t budget(const AllocationOptions& options) {
  if (options.evaluation_limit > 0) return options.evaluation_limit;
  return static_cast<std::int64_t>(std::max(1, options.individuals)) *
         (std::max(0, options.generations) + 1);
}

/// Points of the front with the smallest latency first.
std::vector<ScheduleChoice> fastest(const ParetoFront<ScheduleChoice>& front, std::size_t most) {
  std::vector<ScheduleChoice> choices;
  for (auto point = front.points().rbegin(); point != front.points().rend() && choices.size() < most;
       ++point) {
    choices.push_back(point->choice);
  }
  return choices;
}

class Search {
 public:
  Search(std::shared_ptr<const ScheduleProblem> problem, const AllocationOptions& options,
         const ParallelFor& parallel, const std::function<bool()>& stop)
      : problem_(std::move(problem)),
        options_(options),
        space_(search_space(*problem_, options.search_order)),
        random_(options.seed, 0),
        bound_(latency_lower_bound(*problem_)),
        parallel_(parallel),
        evaluator_([this] { return evaluator_of_one_thread(); }, CoreSymmetry(*problem_), parallel,
                   {budget(options), options.time_limit, stop}) {}

  AllocationResult search() {
    switch (options_.method) {
      case SearchMethod::automatic:
        search_automatically();
        break;
      case SearchMethod::genetic:
        search_by_generations();
        break;
      case SearchMethod::exhaustive:
        search_everything();
        break;
      case SearchMethod::annealing:
        anneal(evaluator_.remaining());
        break;
    }
    AllocationResult result;
    for (const ParetoPoint& point : evaluator_.front().points())
      result.front.push_back({ordered(point.choice), point.latency, point.energy});
    result.evaluations = evaluator_.evaluations();
    result.infeasible = evaluator_.infeasible();
    result.exhaustive = exhaustive_;
    result.latency_bound = bound_;
    if (result.front.empty()) result.reason = evaluator_.reason();
    return result;
  }

 private:
  // Limits of the evaluator end the search.
  static constexpr int endless = std::numeric_limits<int>::max();

  /// Where orders are not searched, the caller says how the next node is chosen.
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

  /// Every allocation; with orders in the space, with each of the usual ones.
  void search_everything() {
    const std::vector<ScheduleChoice> orders =
        space_.orders ? sensible_orders(space_) : std::vector<ScheduleChoice>(1);
    const bool all = search_exhaustively(space_, PartialBound(*problem_, bound_), orders, evaluator_);
    exhaustive_ = all && !space_.orders;
  }

  /// Estimates know nothing of orders.
  void search_by_generations() {
    std::optional<AllocationGuide> guide;
    if (!space_.orders)
      guide.emplace(problem_, space_, options_.seed, random_, evaluator_, evaluator_.remaining(),
                    parallel_);
    search_genetically(space_, options_.individuals, endless, random_, evaluator_,
                       guide ? &*guide : nullptr);
  }

  void search_automatically() {
    const double allocations = space_.allocations();
    if (!space_.orders) {
      if (allocations <= std::min(few_allocations, static_cast<double>(evaluator_.remaining()))) {
        search_everything();
      } else {
        search_by_generations();
      }
      return;
    }
    const std::int64_t all = evaluator_.remaining();
    const int individuals = std::max(options_.individuals, 32);
    search_genetically(space_, individuals, static_cast<int>(all / 4 / individuals), random_, evaluator_);
    anneal(evaluator_.remaining());
  }

  void anneal(std::int64_t evaluations) {
    std::vector<ScheduleChoice> starts = fastest(evaluator_.front(), 2);
    ChoiceMoves moves(space_, random_);
    const std::vector<std::vector<int>> cores = moves.sensible_cores();
    const std::vector<ScheduleChoice> orders =
        space_.orders ? sensible_orders(space_) : std::vector<ScheduleChoice>(1);
    for (std::size_t i = 0; i < orders.size() && starts.size() < 8; ++i) {
      starts.push_back(orders[i]);
      starts.back().cores = cores[i % cores.size()];
    }
    anneal_orders(space_, starts, evaluations, random_, evaluator_);
  }

  std::shared_ptr<const ScheduleProblem> problem_;
  const AllocationOptions& options_;
  SearchSpace space_;
  RandomNumbers random_;
  double bound_;
  ParallelFor parallel_;
  bool exhaustive_ = false;
  ChoiceEvaluator evaluator_;
};

}  // namespace

AllocationResult search_allocations(std::shared_ptr<const ScheduleProblem> problem,
                                    const AllocationOptions& options, const ParallelFor& parallel,
                                    const std::function<bool()>& stop) {
  return Search(std::move(problem), options, parallel, stop).search();
}

}  // namespace zz::core
