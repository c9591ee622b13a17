#include "core/multicore/search/partition_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/multicore/search/cut_menu.hpp"
#include "core/multicore/search/detail/menu_costs.hpp"
#include "core/multicore/search/detail/partition_evaluator.hpp"
#include "core/multicore/search/detail/partition_moves.hpp"
#include "core/multicore/search/detail/uniform_cuts.hpp"
#include "core/search/methods/pareto_front.hpp"

namespace zz::core {
namespace {

constexpr std::size_t walk_count = 4;
/// How much worse a step may be at first, typically: a share of the gap to the bound, up to a limit.
/// With less for products these were 1 to 2 % smaller for three networks, with one seed each.
constexpr double share_of_gap = 0.07, share_of_gap_of_product = 0.02, hottest = 0.03;
constexpr double coldest = 1.0 / 60;     // of that, in the end
constexpr int exchanges = 10;            // how often the worst walk is replaced by the best
constexpr double share_of_scan = 0.15;   // of the schedules, at most
constexpr double share_of_start = 0.25;  // ... and with the layers that are spread before the walks begin
constexpr double endless = std::numeric_limits<double>::infinity();

using Clock = std::chrono::steady_clock;

using Point = FrontPoint<PartitionChoice>;

struct Walk {
  PartitionChoice choice;
  double value = endless;
  std::shared_ptr<PreparedPartition> prepared;
};

class Search {
 public:
  Search(const Workload& workload, const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
         const PartitionOptions& options, const AnswerQuestions& answer, const ParallelFor& parallel)
      : options_(options),
        parallel_(parallel),
        workload_(workload),
        accelerator_(accelerator),
        scan_(uniform_cuts(workload, options)),
        graphs_(workload, accelerator, scan_.cuts),
        neighbours_(graphs_.layers(), graphs_.cuts()),
        costs_(accelerator, answer),
        evaluator_(graphs_, accelerator, costs_, parallel_) {}

  PartitionResult search() {
    ask_for_menu(graphs_, costs_, parallel_);
    bounds_ = bounds();
    try {
      scan();
      spread_layers();
      walk();
    } catch (const Interrupted&) {
      if (front_.points().empty() || !options_.on_interruption) throw;
      options_.on_interruption();
    }
    return result();
  }

 private:
  double value_of(double latency, double energy) const {
    return figure_of(options_.objective, latency, energy);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// How much of the budget is used.
  double progress() const {
    double used = static_cast<double>(steps_) /
                  static_cast<double>(std::max<std::int64_t>(1, options_.evaluation_limit));
    if (options_.time_limit > 0) used = std::max(used, seconds() / options_.time_limit);
    return used;
  }

  bool over() {
    end_if_interrupted();
    return progress() >= 1;
  }

  void evaluate(std::vector<PartitionEvaluator::Task>& tasks) {
    evaluator_.evaluate(tasks, [this](double latency, double energy) { return value_of(latency, energy); });
    for (const PartitionEvaluator::Task& task : tasks) {
      ++steps_;
      if (!task.scheduled) continue;
      ++schedules_;
      if (!task.figures.feasible) continue;
      front_.add(*task.choice, task.figures.latency, task.figures.energy);
      best_ = std::min(best_, value_of(task.figures.latency, task.figures.energy));
    }
    if (options_.on_progress)
      options_.on_progress(steps_, best_, figure_of(options_.objective, bounds_).value);
  }

  /// The usual allocations and rules, for cuts that are given, the most promising first.
  std::vector<PartitionChoice> usual_choices(const Partition& cuts) const {
    const int layers = neighbours_.layers(), cores = std::max(1, accelerator_->core_count() - 1);
    std::vector<PartitionChoice> choices;
    for (const DispatchRule rule : {DispatchRule::earliest_start, DispatchRule::rank}) {
      for (const int kind : {0, 1, 2, 3}) {
        PartitionChoice choice;
        choice.cuts = cuts;
        for (int layer = 0; layer < layers; ++layer)
          choice.cores.push_back(kind == 0   ? slots_in_turn(layer)
                                 : kind == 1 ? slots_in_turn(0)
                                 : kind == 2 ? slots_alike(layer)
                                             : slots_alike(layer * cores / layers));
        choice.order.dispatch = rule;
        choice.order.back_filling = rule == DispatchRule::earliest_start;
        choices.push_back(std::move(choice));
      }
    }
    return choices;
  }

  /// A partition at the beginning, with the best of the choices that were tried for it.
  struct Candidate {
    std::vector<PartitionChoice> choices;
    Walk best;
    bool is_start = false;
  };

  /// Evaluates a choice of each candidate.
  void evaluate(const std::vector<Candidate*>& candidates, const std::vector<PartitionChoice>& choices) {
    std::vector<PartitionEvaluator::Task> tasks(candidates.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      tasks[i].choice = &choices[i];
      tasks[i].wanted_below = candidates[i]->best.value;
      tasks[i].prepared = std::move(candidates[i]->best.prepared);
    }
    evaluate(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      Walk& best = candidates[i]->best;
      best.prepared = std::move(tasks[i].prepared);
      if (!tasks[i].figures.feasible) continue;
      const double value = value_of(tasks[i].figures.latency, tasks[i].figures.energy);
      if (value < best.value) {
        best.value = value;
        best.choice = choices[i];
      }
    }
  }

  /// The start with the allocation and order that belong to it.
  void evaluate_start(Candidate& start) {
    evaluate({&start}, {start.choices.front()});
    if (!options_.start_choice || !start.best.prepared->problem) return;
    PartitionChoice given = start.choices.front();
    const ScheduleProblem& problem = *start.best.prepared->problem;
    given.order = options_.start_choice(problem);
    given.cores = slots_of(std::exchange(given.order.cores, {}), problem);
    evaluate({&start}, {given});
  }

  /// Every uniform cut with one allocation and rule, the best half of them with another one, and so on.
  void scan() {
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < scan_.partitions.size(); ++i) {
      const bool is_start = i == 0 && !options_.start.empty();
      if (!is_start && neighbours_.pieces(scan_.partitions[i]) > options_.most_nodes) continue;
      candidates.push_back({usual_choices(scan_.partitions[i]), {}, is_start});
      if (is_start) evaluate_start(candidates.back());
    }
    const std::size_t rounds = candidates.empty() ? 0 : candidates.front().choices.size();
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t first = 0; first < candidates.size(); first += batch) {
        if (steps_ > 0 && (over() || (round > 0 && progress() > share_of_scan))) break;
        std::vector<Candidate*> some;
        std::vector<PartitionChoice> choices;
        for (std::size_t i = first; i < std::min(first + batch, candidates.size()); ++i) {
          some.push_back(&candidates[i]);
          choices.push_back(candidates[i].choices[round]);
        }
        evaluate(some, choices);
      }
      std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::pair(!a.is_start, a.best.value) < std::pair(!b.is_start, b.best.value);
      });
      const std::size_t stay = std::max<std::size_t>(8, candidates.size() / 2);
      if (candidates.size() > stay)
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(stay), candidates.end());
    }
    for (Candidate& candidate : candidates) {
      if (!candidate.is_start) best_uniform_ = std::min(best_uniform_, candidate.best.value);
      if (candidate.best.value < endless && walks_.size() < walk_count)
        walks_.push_back(std::move(candidate.best));
    }
    for (std::size_t i = 0; !walks_.empty() && walks_.size() < walk_count; ++i)
      walks_.push_back({walks_[i].choice, walks_[i].value, nullptr});
  }

  static bool is_spread(const Cut& cut) {
    return std::any_of(cut.begin(), cut.end(), [](const CutLoop& loop) { return loop.spread; });
  }

  /// Layer after layer spread over the cores, where that is better at once: random steps would try few of
  /// these cuts while other cuts are still arranged around a layer that keeps one core busy.
  void spread_layers() {
    std::vector<PartitionChoice> proposals(walks_.size());
    for (int layer = 0; layer < neighbours_.layers(); ++layer) {
      for (int cut = 0; cut < neighbours_.cuts(layer); ++cut) {
        if (!is_spread(graphs_.cuts()[layer][cut])) continue;
        if (over() || progress() > share_of_start) return;
        for (std::size_t i = 0; i < walks_.size(); ++i) {
          proposals[i] = walks_[i].choice;
          proposals[i].cuts[layer] = cut;
          if (neighbours_.pieces(proposals[i].cuts) > options_.most_nodes)
            proposals[i].cuts[layer] = walks_[i].choice.cuts[layer];
          proposals[i].cores[layer] = slots_in_turn(layer);
        }
        step(proposals, std::vector<double>(walks_.size(), 0));
      }
    }
  }

  int most_nodes_now(double progress) const {
    return static_cast<int>(options_.most_nodes * std::min(1.0, 0.4 + 1.2 * progress));
  }

  void propose(const Walk& walk, PartitionMoves& moves, RandomNumbers& random, double progress,
               double cut_share, PartitionChoice& proposal) const {
    proposal = walk.choice;
    const double kind = random.fraction();
    const double cuts = cut_share - 0.25 * progress;
    if (kind < cuts && moves.change_cuts(proposal, most_nodes_now(progress))) {
      if (random.below(3) == 0) moves.change_cores(proposal);
      return;
    }
    if (kind < 0.93)
      moves.change_cores(proposal);
    else
      moves.change_order(proposal, progress > 0.3);
  }

  /// Each walk goes to its proposal, unless that is worse by more than such a share.
  void step(const std::vector<PartitionChoice>& proposals, const std::vector<double>& worse) {
    std::vector<PartitionEvaluator::Task> tasks(walks_.size());
    for (std::size_t i = 0; i < walks_.size(); ++i) {
      tasks[i].choice = &proposals[i];
      tasks[i].wanted_below = walks_[i].value * (1 + worse[i]);
      tasks[i].prepared = walks_[i].prepared;
    }
    evaluate(tasks);
    for (std::size_t i = 0; i < walks_.size(); ++i) {
      if (!tasks[i].figures.feasible) continue;
      const double value = value_of(tasks[i].figures.latency, tasks[i].figures.energy);
      if (value >= tasks[i].wanted_below && value > walks_[i].value) continue;
      walks_[i] = {proposals[i], value, std::move(tasks[i].prepared)};
    }
  }

  void walk() {
    if (walks_.empty()) return;
    std::vector<RandomNumbers> random;
    for (std::size_t i = 0; i < walks_.size(); ++i) random.emplace_back(options_.seed, i + 1);
    const double from = std::min(progress(), 1.0);
    // How much worse a step may be depends on how much there is to gain.
    const double gap = best_ / figure_of(options_.objective, bounds_).value - 1;
    const bool product = options_.objective == PartitionObjective::edp;
    const double share = product ? share_of_gap_of_product : share_of_gap;
    const double hot = std::clamp(share * gap, 1e-4, hottest);
    double next_exchange = 1.0 / exchanges;
    std::vector<PartitionChoice> proposals(walks_.size());
    std::vector<double> worse(walks_.size());
    while (!over()) {
      const double part = (progress() - from) / std::max(1e-9, 1 - from);
      const double temperature = hot * std::pow(coldest, part);
      for (std::size_t i = 0; i < walks_.size(); ++i) {
        PartitionMoves moves(neighbours_, random[i]);
        propose(walks_[i], moves, random[i], part, i % 2 == 0 ? 0.55 : 0.75, proposals[i]);
        worse[i] = -temperature * std::log(1 - random[i].fraction());
      }
      step(proposals, worse);
      if (part < next_exchange) continue;
      next_exchange += 1.0 / exchanges;
      const auto order = [](const Walk& a, const Walk& b) { return a.value < b.value; };
      const auto [best, worst] = std::minmax_element(walks_.begin(), walks_.end(), order);
      if (best == worst) continue;
      worst->choice = best->choice;
      worst->value = best->value;
      worst->prepared = nullptr;  // a scheduler belongs to one walk
    }
  }

  FoundPartition found(const Point& point) {
    std::vector<PartitionEvaluator::Task> tasks(1);
    tasks[0].choice = &point.choice;
    tasks[0].wanted_below = endless;
    evaluator_.evaluate(tasks, [](double, double) { return 0.0; });
    FoundPartition found;
    found.hints = hints_of(point.choice.cuts, graphs_.cuts(), workload_);
    found.problem = tasks[0].prepared->problem;
    found.choice = point.choice.order;
    found.choice.cores = cores_of(point.choice, found.problem->genes());
    found.latency = tasks[0].figures.latency;
    found.energy = tasks[0].figures.energy;
    return found;
  }

  PartitionResult result() {
    const std::vector<Point>& points = front_.points();
    if (points.empty())
      throw NoResult("none of the cuts that were tried has a schedule that fits the memories");
    const auto best = std::min_element(points.begin(), points.end(), [&](const Point& a, const Point& b) {
      return value_of(a.latency, a.energy) < value_of(b.latency, b.energy);
    });
    PartitionResult result;
    for (auto point = points.begin(); point != points.end(); ++point) {
      result.front.push_back(found(*point));
      if (point == best) result.best = result.front.back();
    }
    result.best_uniform = best_uniform_;
    result.schedules = schedules_;
    result.steps = steps_;
    for (const std::vector<Cut>& of_layer : graphs_.cuts())
      result.cuts += static_cast<std::int64_t>(of_layer.size());
    result.bounds = bounds();
    return result;
  }

  PartitionBounds bounds() {
    return partition_bounds(workload_, *accelerator_, costed_menu(graphs_, costs_));
  }

  static constexpr std::size_t batch = 32;

  const PartitionOptions& options_;
  const ParallelFor& parallel_;
  const Workload& workload_;
  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  UniformCuts scan_;
  PartitionGraphs graphs_;
  CutNeighbours neighbours_;
  CutPrices costs_;
  PartitionEvaluator evaluator_;
  Clock::time_point begin_ = Clock::now();
  std::vector<Walk> walks_;
  ParetoFront<PartitionChoice> front_;
  PartitionBounds bounds_;
  double best_ = endless, best_uniform_ = endless;
  std::int64_t schedules_ = 0, steps_ = 0;
};

}  // namespace

double figure_of(PartitionObjective objective, double latency, double energy) {
  switch (objective) {
    case PartitionObjective::latency:
      return latency;
    case PartitionObjective::energy:
      return energy;
    case PartitionObjective::edp:
      return latency * energy;
  }
  return latency;
}

const LimitedFigure& figure_of(PartitionObjective objective, const PartitionBounds& bounds) {
  switch (objective) {
    case PartitionObjective::latency:
      return bounds.latency;
    case PartitionObjective::energy:
      return bounds.energy;
    case PartitionObjective::edp:
      return bounds.edp;
  }
  return bounds.latency;
}

PartitionResult search_partitions(const Workload& workload,
                                  const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                  const PartitionOptions& options, const AnswerQuestions& answer,
                                  const ParallelFor& parallel) {
  const auto layers = static_cast<int>(workload.layers.size());
  if (options.most_nodes < layers)
    throw InputError(fmt::format("{} layers are at least {} computation nodes, but 'most_nodes' is {}",
                                 layers, layers, options.most_nodes));
  return Search(workload, accelerator, options, answer, parallel).search();
}

}  // namespace zz::core
