#include "core/multicore/search/schedule_search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/bound/partition_bound.hpp"
#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/search/detail/allocation_estimate.hpp"
#include "core/multicore/search/detail/core_symmetry.hpp"
#include "core/multicore/search/detail/cut_walks.hpp"
#include "core/multicore/search/detail/exhaustive_search.hpp"
#include "core/multicore/search/detail/first_cuts.hpp"
#include "core/multicore/search/detail/gene_walks.hpp"
#include "core/multicore/search/detail/lockstep_plans.hpp"
#include "core/multicore/search/detail/plan_evaluator.hpp"
#include "core/multicore/search/detail/plan_space.hpp"
#include "core/multicore/search/detail/segment_plans.hpp"
#include "core/multicore/search/detail/usual_plans.hpp"

namespace zz::core {
namespace {

/// Exhaustive search of so many allocations takes no longer than another one of usual size.
constexpr double few_allocations = 4096;

/// Estimates, each of which takes about a third of the time of a schedule: for each schedule, and at least
/// so many. Where there are more, schedules tell as much.
constexpr std::int64_t estimates_of_schedule = 12, least_estimates = 1536, most_estimates = 4096;
/// On large graphs they take a few seconds, not minutes.
constexpr std::int64_t most_nodes_estimated = 16'000'000;
constexpr int estimates_at_once = 16;
constexpr double share_of_estimates = 0.25;  // of a limit of time
/// Turns of climbs, as far as there are schedules for them.
constexpr std::int64_t enough_turns = 17;

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

/// A search for cores, and orders where they move, of a graph that is given.
class FixedCutsSearch {
 public:
  FixedCutsSearch(const std::shared_ptr<const ScheduleProblem>& problem,
                  const ScheduleSearchOptions& options, const ParallelFor& parallel)
      : problem_(problem),
        options_(options),
        space_(*problem, options.orders_move),
        symmetry_(*problem),
        random_(options.seed, 0),
        bound_(finds_period() || !options.order.resident.empty()
                   ? period_bound(*problem, options.order.resident)
                   : schedule_bound(*problem)),
        parallel_(parallel),
        evaluator_(given_cuts(problem, [this] { return scheduler_of_one_thread(); }), parallel,
                   {budget(options), options.time_limit}, canonical()) {}

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
    if (options_.time_limit > 0) schedule_first();
    std::vector<Plan> known;
    for (ScheduleChoice choice : options_.known) {
      const std::vector<int> cores = std::exchange(choice.cores, {});
      known.push_back(plan_of(cores, choice));
    }
    if (!known.empty()) evaluator_.evaluate(known);
    switch (options_.method) {
      case SearchMethod::automatic:
        if (space_.orders())
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

  /// The guesses of a search may take longer than a schedule: without one there is nothing to hand on.
  void schedule_first() {
    std::vector<Plan> first{plan_of(sensible_cores(space_).front())};
    evaluator_.evaluate(first);
  }

  /// Where orders do not move, the caller says how the next node is chosen; what samples do in any case.
  ScheduleChoice choice_of(const Plan& plan) const {
    ScheduleChoice ordered = space_.orders() ? plan.order : options_.order;
    ordered.cores = plan.cores.front();
    // Nobody searches for these where cuts stay.
    ordered.samples_at_once = options_.order.samples_at_once;
    ordered.segments = options_.order.segments;
    ordered.period = options_.order.period;
    ordered.resident = options_.order.resident;
    return ordered;
  }

  /// Where the period is given, repeats differ in their latency alone.
  bool finds_period() const { return options_.order.period == ScheduleChoice::least_period; }

  EvaluatePlan scheduler_of_one_thread() const {
    const auto scheduler = std::make_shared<Scheduler>(problem_);
    return [this, scheduler](const Plan& plan, double, std::string& reason) {
      ScheduleFigures scheduled = scheduler->evaluate(choice_of(plan));
      if (finds_period()) scheduled.latency = scheduled.period;
      PlanFigures figures = figures_of(plan, scheduled);
      if (!figures.feasible) reason = scheduler->reason();
      if (options_.on_schedule) options_.on_schedule();
      return figures;
    };
  }

  static PlanFigures figures_of(const Plan& plan, const ScheduleFigures& scheduled) {
    PlanFigures figures{scheduled};
    figures.scheduled = true;
    figures.period = 0;  // latency alone says what a search makes few
    figures.resident = plan.order.resident;
    figures.period_of_choice = plan.order.period;
    return figures;
  }

  PlanEvaluator::Canonical canonical() const {
    return [this](Plan& plan) { plan.cores.front() = symmetry_.canonical(plan.cores.front()); };
  }

  std::vector<ScheduleChoice> usual_orders() const {
    return space_.orders() ? sensible_orders(space_) : std::vector<ScheduleChoice>(1);
  }

  /// Every allocation; where orders move, with each of the usual ones.
  void try_all() {
    const bool all =
        search_exhaustively(space_, symmetry_, PartialBound(*problem_, bound_), usual_orders(), evaluator_);
    exhaustive_ = all && !space_.orders();
  }

  /// Estimates know nothing of orders.
  void climb(std::int64_t schedules, int at_once) {
    at_once = std::max(1, at_once);
    std::vector<Plan> first;
    if (!space_.orders()) {
      first = best_by_estimates(schedules, at_once);
      // Later climbs begin where earlier ones came to, so that more turns help more than larger ones.
      at_once = static_cast<int>(std::clamp<std::int64_t>(schedules / enough_turns, 1, at_once));
    }
    climb_genes(space_, at_once, schedules, random_, evaluator_, std::move(first));
  }

  /// The best that the same climbs find where each schedule is only estimated.
  std::vector<Plan> best_by_estimates(std::int64_t schedules, int at_once) {
    const auto make_estimate = [this]() -> EvaluatePlan {
      const auto estimate = std::make_shared<AllocationEstimate>(problem_);
      return [estimate](const Plan& plan, double, std::string&) {
        return figures_of(plan, estimate->estimate(plan.cores.front()));
      };
    };
    const std::int64_t estimates =
        std::clamp<std::int64_t>(most_nodes_estimated / std::max(problem_->tables().node_count, 1), 1,
                                 std::clamp(std::min(schedules, most_estimates) * estimates_of_schedule,
                                            least_estimates, most_estimates));
    PlanEvaluator estimator(given_cuts(problem_, make_estimate), parallel_,
                            {estimates, share_of_estimates * options_.time_limit}, canonical());
    std::vector<Plan> best =
        climb_genes(space_, std::max(at_once, estimates_at_once), estimates, random_, estimator);
    const auto most = static_cast<std::size_t>(std::clamp<std::int64_t>(schedules / 4, 1, at_once));
    if (best.size() > most) best.resize(most);
    return best;
  }

  void climb_and_anneal() {
    climb(evaluator_.remaining() / 4, std::max(options_.individuals, 32));
    anneal();
  }

  /// From the best so far and from guesses.
  void anneal() {
    constexpr std::size_t found_starts = 2, most_starts = 8;
    std::vector<Plan> starts;
    const auto& points = evaluator_.front().points();
    for (auto point = points.rbegin(); point != points.rend() && starts.size() < found_starts; ++point)
      starts.push_back(point->choice.plan);
    const std::vector<std::vector<int>> cores = sensible_cores(space_);
    const std::vector<ScheduleChoice> orders = usual_orders();
    for (std::size_t i = 0; i < orders.size() && starts.size() < most_starts; ++i)
      starts.push_back(plan_of(cores[i % cores.size()], orders[i]));
    anneal_genes(space_, starts, options_.objective, evaluator_.remaining(), random_, evaluator_);
  }

  ScheduleSearchResult result() {
    ScheduleSearchResult result;
    for (const auto& point : evaluator_.front().points())
      result.front.push_back({{}, problem_, choice_of(point.choice.plan), point.latency, point.energy});
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
  PlanSpace space_;
  CoreSymmetry symmetry_;
  RandomNumbers random_;
  double bound_;
  ParallelFor parallel_;
  bool exhaustive_ = false;
  PlanEvaluator evaluator_;
};

/// Bounds of every schedule of one partition, in linear time: those of a menu take a square of the layers.
MenuBounds bounds_of_partition(const ScheduleProblem& problem, const ScheduleSearchOptions& options) {
  const ScheduleProblem::Tables& tables = problem.tables();
  double energy = 0;
  for (int node = 0; node < tables.node_count; ++node) {
    double least = std::numeric_limits<double>::infinity();
    for (const CoreCost& cost : problem.costs()->layers[tables.layer_of[node]].on) {
      const NodeCost& on_core = tables.node_cost(node, cost.core);
      least = std::min(least, on_core.onchip_energy + on_core.offchip_energy);
    }
    energy += least;
  }
  std::vector<int> resident;
  for (int layer = 0; options.resident && layer < static_cast<int>(problem.graph()->layers.size()); ++layer)
    resident.push_back(layer);
  const double latency = options.steady_state ? period_bound(problem, resident) : schedule_bound(problem);
  MenuBounds bounds;
  bounds.latency = {latency, "these cuts", "no cores and no order for them take less"};
  bounds.energy = {energy, "these cuts", "each node on its cheapest core"};
  bounds.edp = {latency * energy, "these cuts", "the product of both bounds"};
  return bounds;
}

/// The first cuts of each menu.
CutMenus beginnings(const CutMenus& menus, const std::vector<int>& counts) {
  CutMenus some;
  for (std::size_t layer = 0; layer < counts.size(); ++layer)
    some.emplace_back(menus[layer].begin(), menus[layer].begin() + counts[layer]);
  return some;
}

SearchSteps sum(const SearchSteps& a, const SearchSteps& b) {
  return {a.uniform + b.uniform, a.spread + b.spread, a.walks + b.walks};
}

constexpr double share_of_one_sample = 0.2;  // of a limit of time
/// Slices that are small enough to arrive beside each other are many nodes, and few starts have them.
constexpr int usual_times_in_lockstep = 3;

/// A search where cuts move.
class MovingCutsSearch {
 public:
  MovingCutsSearch(const Workload& workload, const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                   const ScheduleSearchOptions& options, const AnswerQuestions& answer,
                   const ParallelFor& parallel)
      : workload_(workload),
        accelerator_(accelerator),
        options_(options),
        most_nodes_(most_nodes_of(options, workload.layers.size())),
        options_of_walks_(options),
        answer_(answer),
        parallel_(parallel) {
    options_of_walks_.most_nodes = most_nodes_;
    const std::int64_t steps = step_limit(options_);
    if (options_.samples > 1)
      options_of_walks_.evaluation_limit = std::max<std::int64_t>(1, steps - steps / options_.samples);
  }

  ScheduleSearchResult search() {
    bool interrupted = false;
    try {
      const Deadline deadline(time_until_the_end(options_));
      run();
    } catch (const Interrupted&) {
      interrupted = interruption.of_run() || options_.time_limit <= 0;
      const bool nothing = !walks_ || walks_->front().empty();
      if (nothing && !interrupted) refuse_time_limit();
      if (interrupted && (nothing || !options_.on_interruption)) throw;
    }
    if (interrupted) {
      options_.on_interruption();
      walks_->settle();
    }
    return result();
  }

 private:
  void run() {
    FirstCuts first = first_cuts(workload_, options_, static_cast<int>(equal_cores(*accelerator_).size()));
    const int most_in_lockstep =
        options_.most_nodes > 0 ? options_.most_nodes : usual_times_in_lockstep * most_nodes_;
    const std::vector<Partition> in_lockstep =
        lockstep_partitions(workload_, *accelerator_, options_, most_in_lockstep, first.menus);
    graphs_.emplace(workload_, accelerator_, std::move(first.menus), options_.samples);
    prices_.emplace(accelerator_, answer_, options_.first_answers);
    const int cores = static_cast<int>(equal_cores(*accelerator_).size());
    space_.emplace(graphs_->layers(), graphs_->cuts(), graphs_->pairs(), cores, options_.samples);
    walks_.emplace(*space_, *graphs_, *prices_, accelerator_, options_of_walks_, parallel_);
    walks_->schedule_first(first.partitions.front());
    price_menus(*graphs_, *prices_, parallel_);
    // Its time begins here: shares of a limit are of what the costs leave.
    std::vector<Plan> known;
    if (options_.samples > 1) known = search_for_one_sample(first);
    const std::vector<Plan> plans =
        options_.samples > 1 ? segment_plans(*space_, *graphs_, *prices_, *accelerator_, most_nodes_)
                             : lockstep_plans(*graphs_, *accelerator_, in_lockstep);
    plans_ = static_cast<int>(plans.size());
    search(
        *walks_, first.partitions, [this] { return bounds_of_menus(); }, known, plans);
  }

  /// Its best plans, as starts of the search for all.
  std::vector<Plan> search_for_one_sample(const FirstCuts& first) {
    const CutMenus menus = beginnings(graphs_->cuts(), first.cuts_of_one_sample);
    const PlanSpace space(graphs_->layers(), menus, graphs_->pairs());
    const ScheduleSearchOptions options = options_for_one_sample();
    CutWalks walks(space, *graphs_, *prices_, accelerator_, options, parallel_);
    const auto count = [&] {
      steps_of_one_ = walks.steps();
      schedules_of_one_ = walks.schedules();
    };
    try {
      search(walks, first.of_one_sample,
             [&] { return bounds_of_one(options_.steady_state, first.cuts_of_one_sample); }, {}, {});
    } catch (const Interrupted&) {
      count();
      throw;
    }
    count();
    return walks.repeated();
  }

  static void search(CutWalks& walks, const std::vector<Partition>& partitions,
                     const std::function<MenuBounds()>& bounds, const std::vector<Plan>& known,
                     const std::vector<Plan>& plans) {
    walks.begin(partitions, bounds, known, plans);
    walks.settle();
    walks.spread_layers();
    walks.anneal();
    walks.settle();
  }

  static std::int64_t step_limit(const ScheduleSearchOptions& options) {
    return options.evaluation_limit > 0 ? options.evaluation_limit : CutWalks::steps_without_limit;
  }

  /// A batch begins at schedules of one sample. The search for them is that of a caller with one sample,
  /// but for starts in lockstep and `start`. Its graphs have a part of the nodes, so that a step counts as
  /// such a part.
  ScheduleSearchOptions options_for_one_sample() const {
    ScheduleSearchOptions options = options_;
    options.samples = 1;
    options.most_nodes = most_nodes_of_one_sample(options_, workload_.layers.size());
    options.evaluation_limit = step_limit(options_);
    options.time_limit = share_of_one_sample * options_.time_limit;
    options.start.clear();
    options.start_choice = {};
    options.on_progress = {};
    return options;
  }

  /// Bounds of one sample, in repeats that overlap or not; `first_cuts` as for priced_menus().
  MenuBounds bounds_of_one(bool overlap, const std::vector<int>& first_cuts = {}) {
    return menu_bounds(workload_, *accelerator_, priced_menus(*graphs_, *prices_, first_cuts), 1,
                       {overlap, options_.resident});
  }

  MenuBounds bounds_of_menus() {
    bounds_ = menu_bounds(workload_, *accelerator_, priced_menus(*graphs_, *prices_), options_.samples,
                          {options_.steady_state, options_.resident});
    bounded_prices_ = prices_->changes();
    return *bounds_;
  }

  [[noreturn]] void refuse_time_limit() const {
    throw NotFound(fmt::format(
        "'time_limit' ended the search after {:g} s, before its first schedule was made: {} costs of {} "
        "are known of those that it needs. Give more time, or 'stages' that map a node sooner",
        options_.time_limit, prices_ ? prices_->answered() : 0,
        options_.start.empty() ? "whole layers" : "the cuts of 'start'"));
  }

  ScheduleSearchResult result() {
    if (walks_->front().empty())
      throw NotFound(
          "none of the cuts that were tried has a schedule that fits the memories; a larger "
          "evaluation_limit or time_limit tries more");
    ScheduleSearchResult result;
    for (const PlanFront::Point& point : walks_->front()) {
      result.front.push_back(CutWalks::found(point));
      result.front.back().cuts = cut_entries_of(point.choice.plan.cuts, graphs_->cuts(), workload_);
    }
    choose_best(result, options_.objective);
    result.schedules = walks_->schedules() + schedules_of_one_;
    set_bounds(result);  // by partitions, in steps that depend on the schedules
    result.steps = sum(walks_->steps(), steps_of_one_);
    result.steps_of_one = steps_of_one_.all();
    // A search that ended amid its first cuts has nothing else.
    result.best_uniform = std::isfinite(walks_->best_uniform())
                              ? walks_->best_uniform()
                              : value_of(options_.objective, result.best.energy, result.best.latency);
    result.uniform_of_first = options_.first_answers && std::isfinite(walks_->best_uniform());
    return result;
  }

  void set_bounds(ScheduleSearchResult& result) {
    if (!bounds_) {
      // No others have been tried, and to bound them may take longer than is left.
      result.bounds = bounds_of_partition(*result.best.problem, options_);
      result.cuts = static_cast<std::int64_t>(workload_.layers.size());
      result.only_first_cuts = true;
      return;
    }
    // Costs that walks asked for compete as well, and those that were settled are tighter.
    result.bounds = prices_->changes() == bounded_prices_ ? *bounds_ : bounds_of_menus();
    for (const CutMenu& menu : graphs_->cuts()) result.cuts += static_cast<std::int64_t>(menu.size());
    const CutMenuOptions menu = menu_options(workload_, options_);
    result.most_nodes = most_nodes_;
    result.most_pieces = menu.most_pieces;
    result.plans = plans_;
    for (const auto& layer : workload_.layers) result.cuts_left_out += cuts_left_out(*layer, menu);
    if (options_.samples > 1 || options_.steady_state)
      result.first_bound = bounds_of_one(false).latency.value;
    if (!options_.steady_state) raise_by_partitions(result);
  }

  /// In about half of the time that the schedules took, or that of 500 where this is more. A limit of time
  /// leaves it no more than a result may be late.
  void raise_by_partitions(ScheduleSearchResult& result) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const FoundSchedule& found : result.front) shortest = std::min(shortest, found.latency);
    const std::int64_t steps = std::max(few_steps, steps_of_schedule / 2 * result.schedules);
    double least = 0;
    try {
      const Deadline deadline(options_.time_limit > 0 ? seconds_of_grace
                                                      : std::numeric_limits<double>::infinity());
      least = least_latency_of_partitions(workload_, *graphs_, *prices_, accelerator_,
                                          result.bounds.latency.value, shortest, steps, options_.samples);
    } catch (const Interrupted&) {
      if (interruption.of_run() && options_.on_interruption) options_.on_interruption();
      return;  // the bound of the menus holds
    }
    if (!(least > result.bounds.latency.value)) return;
    result.bounds.latency = {least, "waits",
                             "of combinations of cuts what waits for cores, links and other nodes"};
    if (const double product = least * result.bounds.energy.value; product > result.bounds.edp.value)
      result.bounds.edp = {product, "latency and energy", "the product of both bounds"};
  }

  const Workload& workload_;
  const std::shared_ptr<const MultiCoreAccelerator>& accelerator_;
  const ScheduleSearchOptions options_;
  const int most_nodes_;                    ///< of a graph
  int plans_ = 0;                           ///< of segments or in lockstep, among the starts
  ScheduleSearchOptions options_of_walks_;  ///< the steps that one sample leaves
  const AnswerQuestions& answer_;
  const ParallelFor& parallel_;
  std::optional<PartitionGraphs> graphs_;
  std::optional<CutPrices> prices_;
  std::optional<PlanSpace> space_;
  std::optional<CutWalks> walks_;
  std::optional<MenuBounds> bounds_;  ///< of all menus
  std::size_t bounded_prices_ = 0;    ///< CutPrices::changes() then
  SearchSteps steps_of_one_;
  std::int64_t schedules_of_one_ = 0;
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
  check_samples(workload, options.samples, options.steady_state);
  const auto least = static_cast<std::int64_t>(workload.layers.size()) * options.samples;
  const int most = most_nodes_of(options, workload.layers.size());
  if (most < least)
    throw InputError(
        fmt::format("{} layers{} are at least {} computation nodes, but {} {}", workload.layers.size(),
                    options.samples > 1 ? fmt::format(" of {} samples", options.samples) : std::string(),
                    least, options.most_nodes != 0 ? "'most_nodes' is" : "a search takes at most", most));
  return MovingCutsSearch(workload, accelerator, options, answer, parallel).search();
}

int usual_most_nodes(std::size_t layers, int samples) {
  constexpr std::int64_t least = 1000, of_layer = 8, most = 1'000'000;
  return static_cast<int>(std::clamp(static_cast<std::int64_t>(layers) * of_layer * samples, least, most));
}

void check_resident(const Workload& workload, const MultiCoreAccelerator& accelerator) {
  const Layer* smallest = nullptr;
  std::int64_t least = 0, room_of_smallest = 0;
  for (const auto& layer : workload.layers) {
    const std::int64_t bits = bits_for_all_samples(*layer);
    if (bits == 0) continue;
    std::set<int> memories;
    for (int operand = 1; operand < static_cast<int>(layer->operands.size()); ++operand)
      for (const int core : layer->mapping.core_allocation)
        if (shared_by_samples(*layer, operand))
          if (const int memory = accelerator.top(core, layer->memory_operand(operand)); memory >= 0)
            memories.insert(memory);
    std::int64_t room = 0;
    for (const int memory : memories) room += accelerator.top_memories[memory].size;
    if (bits <= room) return;
    if (smallest != nullptr && bits >= least) continue;
    smallest = layer.get();
    least = bits;
    room_of_smallest = room;
  }
  if (smallest == nullptr) return;
  throw InputError(
      fmt::format("'resident': not even the smallest constants can stay, those of layer {} '{}': they are "
                  "{} bits, and the "
                  "memories of the cores that may run it hold {} together; leave out 'resident', or give "
                  "the cores larger "
                  "memories",
                  smallest->id, smallest->name, least, room_of_smallest));
}

void check_cuts(const Workload& workload, const ScheduleSearchOptions& options) {
  check_samples(workload, options.samples, options.steady_state);
  first_cuts(workload, options, 1);
}

}  // namespace zz::core
