#include "core/multicore/search/detail/cut_walks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/interruption.hpp"
#include "core/multicore/graph/samples.hpp"
#include "core/multicore/search/detail/plan_moves.hpp"
#include "core/multicore/search/detail/usual_plans.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {
namespace {

constexpr std::size_t walk_count = 4;
constexpr std::size_t bytes_remembered = 32 << 20;
constexpr std::size_t candidates_at_once = 32, batches_at_once = 8;  // a batch has thousands of nodes
/// Loss that a step may bring at first, typically: a share of the gap to the bound without waits, up to a
/// limit. With less for products these were 1 to 2 % smaller for three networks, with one seed each.
constexpr double share_of_gap = 0.07, share_of_gap_of_product = 0.02, hottest = 0.03;
constexpr double coldest = 1.0 / 60;  // of that, in the end
constexpr int exchange_count = 10;    // of the worst walk for the best
constexpr int settle_count = 5;       // of the costs that walks have come to
// The parts of the limits that a phase may use. Each uniform cut is worth a schedule, so the first round
// may use more than the scan, and then spreading has a share of the rest.
constexpr double share_of_first_round = 0.5;
constexpr double share_of_scan = 0.15;
constexpr double share_of_start = 0.25;  // of the scan and the layers that are spread, together
constexpr double share_of_spread = 0.1;  // of what the scan has left, at least

bool is_spread(const Cut& cut) {
  return std::any_of(cut.begin(), cut.end(), [](const CutLoop& loop) { return loop.spread; });
}

/// The layers that read constants which all samples share, those with the most bits first.
std::vector<int> layers_by_constants(const std::vector<std::shared_ptr<const Layer>>& layers) {
  std::vector<std::pair<std::int64_t, int>> bits;
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    if (const std::int64_t of_layer = bits_for_all_samples(*layers[layer]); of_layer > 0)
      bits.emplace_back(-of_layer, static_cast<int>(layer));
  std::sort(bits.begin(), bits.end());
  std::vector<int> sorted;
  for (const auto& [negative, layer] : bits) sorted.push_back(layer);
  return sorted;
}

}  // namespace

CutWalks::CutWalks(const PlanSpace& space, PartitionGraphs& graphs, CutPrices& costs,
                   std::shared_ptr<const MultiCoreAccelerator> accelerator,
                   const ScheduleSearchOptions& options, const ParallelFor& parallel)
    : options_(options),
      accelerator_(std::move(accelerator)),
      graphs_(graphs),
      space_(space),
      costs_(costs),
      cuts_(graphs, accelerator_, costs, parallel, options.objective, options.samples,
            options.steady_state),
      evaluator_(
          [this](const std::vector<PlanTask*>& tasks, Costs wanted) { cuts_.prepare(tasks, wanted); },
          parallel, {0, 0, bytes_remembered}),
      begin_(seconds()),
      most_steps_(options.evaluation_limit > 0 ? options.evaluation_limit : steps_without_limit),
      with_constants_(options.resident ? layers_by_constants(graphs.layers()) : std::vector<int>()) {}

double CutWalks::seconds() const {
  if (options_.clock) return options_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Share of the limits that is used.
double CutWalks::progress() const {
  const double used = static_cast<double>(steps_.all()) / static_cast<double>(most_steps_);
  return std::max(used, (seconds() - walks_begin_) / time_left_);
}

bool CutWalks::over() const {
  end_if_interrupted();
  return progress() >= 1;
}

void CutWalks::evaluate(std::vector<PlanTask>& tasks, Costs costs) {
  evaluator_.evaluate(tasks, costs);
  for (const PlanTask& task : tasks) best_ = std::min(best_, value_of(options_.objective, task.figures));
}

/// The same as steps of a phase.
void CutWalks::make_steps(std::vector<PlanTask>& tasks) {
  const auto count = [&] {
    steps_.*phase_ += static_cast<std::int64_t>(tasks.size());
    if (options_.on_progress) options_.on_progress(steps_.all(), best_, bound_);
  };
  try {
    evaluate(tasks, Costs::first);
  } catch (const Interrupted&) {
    count();
    throw;
  }
  count();
  end_if_interrupted();
}

/// In the steady state the busiest core decides: candidates whose graph is at hand have a try with even
/// work, the best ones first. Of several samples that is the start alone.
void CutWalks::try_even_work(std::vector<Candidate>& candidates) {
  for (const bool with_constants : {false, true}) {
    if (with_constants && with_constants_.empty()) return;
    for (std::size_t first = 0; first < candidates.size(); first += candidates_at_once) {
      if (over() || progress() > share_of_first_round) return;
      std::vector<Candidate*> some;
      std::vector<Plan> plans;
      for (std::size_t i = first; i < std::min(first + candidates_at_once, candidates.size()); ++i) {
        const auto& prepared = candidates[i].best.prepared;
        if (!prepared || !prepared->problem) continue;
        Plan& plan = plans.emplace_back(candidates[i].plans.front());
        set_slots(plan, even_cores(*prepared->problem), *prepared->problem);
        if (with_constants) plan.order.resident = with_constants_;
        some.push_back(&candidates[i]);
      }
      evaluate(some, std::move(plans));
    }
  }
}

/// Where the limits leave no partition a second allocation, the one that all had is poor on unlike cores.
/// One schedule more makes up for it, also beyond the limit.
void CutWalks::try_best_cores(std::vector<Candidate>& candidates) {
  const std::optional<Plan> whole = whole_layers_on_best_cores(space_, graphs_, costs_, options_.objective);
  if (!whole) return;
  candidates.push_back({usual_orders(*whole), {}});
  evaluate({&candidates.back()}, {candidates.back().plans.front()});
}

/// The usual allocations and rules, for cuts that are given, the most promising first.
std::vector<Plan> CutWalks::usual_plans(const Partition& cuts) const {
  const int layers = space_.layers(), slots = space_.slots();
  const int cores = std::max(1, accelerator_->core_count() - 1);
  std::vector<Plan> plans;
  for (const DispatchRule rule : {DispatchRule::earliest_start, DispatchRule::rank}) {
    for (const int kind : {0, 1, 2, 3}) {
      Plan plan;
      plan.cuts = cuts;
      for (int layer = 0; layer < layers; ++layer)
        plan.cores.push_back(kind == 0   ? slots_in_turn(layer, slots)
                             : kind == 1 ? slots_in_turn(0, slots)
                             : kind == 2 ? slots_alike(layer, slots)
                                         : slots_alike(layer * cores / layers, slots));
      plan.order.dispatch = rule;
      plan.order.back_filling = rule == DispatchRule::earliest_start;
      plans.push_back(std::move(plan));
    }
  }
  if (options_.samples > 1)
    for (std::size_t i = 0; i < plans.size(); ++i)
      plans[i].order.samples_at_once = std::array{0, 3, 0, 2}[i % 4];
  keep_constants(plans);
  return plans;
}

/// In every second plan as many constants stay as have room.
void CutWalks::keep_constants(std::vector<Plan>& plans) const {
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (i % 2 == 1) plans[i].order.resident = with_constants_;
}

/// A plan for one sample after the other, and with samples that overlap.
std::vector<Plan> CutWalks::usual_repeats(const Plan& known) const {
  std::vector<Plan> plans;
  for (const int shift : {0, Plan::in_turn}) {
    for (const int at_once : {1, 2, 4, 0}) {
      Plan& plan = plans.emplace_back(known);
      plan.order.period = 0;
      plan.shifts.assign(known.cores.size(), shift);
      plan.order.samples_at_once = at_once < options_.samples ? at_once : 0;
    }
  }
  return plans;
}

/// A plan with the rules and numbers of samples in flight that are most promising.
std::vector<Plan> CutWalks::usual_orders(const Plan& plan) const {
  int together = 1;
  for (int layer = 0; layer < space_.layers(); ++layer)
    together = std::max(together, graphs_.samples_together(layer, plan.cuts[layer]));
  std::vector<Plan> plans;
  for (const DispatchRule rule : {DispatchRule::earliest_start, DispatchRule::rank}) {
    for (const int nodes_at_once : {2, 3, 4, 1}) {
      Plan ordered = plan;
      ordered.order.dispatch = rule;
      ordered.order.back_filling = rule == DispatchRule::earliest_start;
      const int at_once = nodes_at_once * together;
      ordered.order.samples_at_once = at_once < options_.samples ? at_once : 0;
      if (std::find(plans.begin(), plans.end(), ordered) == plans.end())
        plans.push_back(std::move(ordered));
    }
  }
  keep_constants(plans);
  return plans;
}

std::vector<Plan> CutWalks::repeated() const {
  constexpr std::size_t most = 6;
  std::vector<Plan> plans;
  for (const PlanFront::Point* point : best_of(evaluator_.front(), options_.objective, most))
    plans.push_back(point->choice.plan);
  return plans;
}

/// Evaluates a plan of each candidate.
void CutWalks::evaluate(const std::vector<Candidate*>& candidates, std::vector<Plan> plans) {
  std::vector<PlanTask> tasks(candidates.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].plan = &plans[i];
    tasks[i].wanted_below = candidates[i]->best.value;
    tasks[i].prepared = std::move(candidates[i]->best.prepared);
  }
  make_steps(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    PlanWalk& best = candidates[i]->best;
    // Hundreds of candidates with the nodes of a batch would fill memory.
    if (options_.samples == 1 || candidates[i]->is_start) best.prepared = std::move(tasks[i].prepared);
    const double now = value_of(options_.objective, tasks[i].figures);
    if (candidates[i]->is_uniform) best_uniform_ = std::min(best_uniform_, now);
    if (now < best.value) {
      best.value = now;
      best.plan = std::move(plans[i]);
    }
  }
}

Plan CutWalks::given_plan(Plan start, const ScheduleProblem& problem) const {
  start.order = options_.start_choice(problem);
  set_slots(start, std::exchange(start.order.cores, {}), problem);
  return start;
}

void CutWalks::evaluate_start(Candidate& start) {
  evaluate({&start}, {start.plans.front()});
  if (!options_.start_choice || !start.best.prepared || !start.best.prepared->problem) return;
  evaluate({&start}, {given_plan(start.plans.front(), *start.best.prepared->problem)});
}

/// A batch is to be no slower than the best sample again and again: all usual_repeats() are tried,
/// with whatever nodes and steps they take.
CutWalks::Candidate CutWalks::best_repeat(const Plan& known) {
  Candidate repeat;
  repeat.is_start = true;  // its graph is made once
  for (const Plan& plan : usual_repeats(known)) evaluate({&repeat}, {plan});
  repeat.is_start = false;
  repeat.best.prepared = nullptr;
  return repeat;
}

void CutWalks::schedule_first(const Partition& partition) {
  const auto schedule = [&](Plan plan) {
    std::vector<PlanTask> tasks(1);
    tasks[0].plan = &plan;
    tasks[0].prepared = first_;
    evaluate(tasks, Costs::settled);
    first_ = tasks[0].prepared;
    if (!tasks[0].done) end_if_interrupted();
  };
  const Plan usual = usual_plans(partition).front();
  schedule(usual);
  if (!options_.start.empty() && options_.start_choice && first_->problem)
    schedule(given_plan(usual, *first_->problem));
}

void CutWalks::begin(const std::vector<Partition>& partitions, const std::function<MenuBounds()>& bounds,
                     const std::vector<Plan>& known, const std::vector<Plan>& plans) {
  const double before = seconds();
  const MenuBounds of_menus = bounds();
  bound_ = of_menus.of(options_.objective).value;
  bound_without_waits_ = of_menus.without_waits(options_.objective);
  walks_begin_ = seconds();
  if (options_.time_limit > 0) {
    time_left_ = options_.time_limit - (walks_begin_ - begin_) - (walks_begin_ - before);
    if (time_left_ <= 0) throw Interrupted();
  }
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const bool is_start = i == 0 && !options_.start.empty();
    if (!is_start && nodes(partitions[i]) > options_.most_nodes) continue;
    candidates.push_back({usual_plans(partitions[i]), {}, is_start, !is_start});
    if (i == 0) candidates.back().best.prepared = first_;
    if (is_start) evaluate_start(candidates.back());
  }
  std::vector<Candidate> others;
  for (const Plan& plan : known) {
    if (others.empty())
      others.push_back(best_repeat(plan));
    else if (nodes(plan.cuts) <= options_.most_nodes)
      others.push_back({usual_repeats(plan), {}});
  }
  for (const Plan& plan : plans) others.push_back({usual_orders(plan), {}});
  const bool started = !candidates.empty() && candidates.front().is_start;
  candidates.insert(candidates.begin() + (started ? 1 : 0), others.begin(), others.end());
  const std::size_t at_once = options_.samples > 1 ? batches_at_once : candidates_at_once;
  const auto better = [](const Candidate& a, const Candidate& b) {
    return std::pair(!a.is_start, a.best.value) < std::pair(!b.is_start, b.best.value);
  };
  std::size_t rounds = 0;
  for (const Candidate& candidate : candidates) rounds = std::max(rounds, candidate.plans.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t first = 0; first < candidates.size(); first += at_once) {
      if (steps_.all() > 0 && (over() || progress() > (round == 0 ? share_of_first_round : share_of_scan)))
        break;
      std::vector<Candidate*> some;
      std::vector<Plan> of_round;
      for (std::size_t i = first; i < std::min(first + at_once, candidates.size()); ++i) {
        if (round >= candidates[i].plans.size()) continue;
        some.push_back(&candidates[i]);
        of_round.push_back(candidates[i].plans[round]);
      }
      evaluate(some, of_round);
    }
    std::stable_sort(candidates.begin(), candidates.end(), better);
    if (round == 0 && options_.samples == 1 && progress() > share_of_scan) {
      try_best_cores(candidates);
      std::stable_sort(candidates.begin(), candidates.end(), better);
    }
    if (round == 0 && options_.steady_state) {
      try_even_work(candidates);
      std::stable_sort(candidates.begin(), candidates.end(), better);
    }
    const std::size_t stay = std::max<std::size_t>(8, candidates.size() / 2);
    if (candidates.size() > stay)
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(stay), candidates.end());
  }
  for (Candidate& candidate : candidates) {
    if (candidate.best.value < endless && walks_.size() < walk_count)
      walks_.push_back(std::move(candidate.best));
  }
  for (std::size_t i = 0; !walks_.empty() && walks_.size() < walk_count; ++i)
    walks_.push_back(PlanWalk(walks_[i]));
}

void CutWalks::spread_layers() {
  phase_ = &SearchSteps::spread;
  const double from = progress();
  const double until = std::max(share_of_start, from + share_of_spread * (1 - from));
  std::vector<Plan> proposals(walks_.size());
  for (int layer = 0; layer < space_.layers(); ++layer) {
    for (int cut = 0; cut < space_.cuts(layer); ++cut) {
      if (!is_spread(graphs_.cuts()[layer][cut])) continue;
      if (over() || progress() > until) return;
      for (std::size_t i = 0; i < walks_.size(); ++i) {
        proposals[i] = walks_[i].plan;
        proposals[i].cuts[layer] = cut;
        if (nodes(proposals[i].cuts) >
            std::max<std::int64_t>(options_.most_nodes, nodes(walks_[i].plan.cuts)))
          proposals[i].cuts[layer] = walks_[i].plan.cuts[layer];
        proposals[i].cores[layer] = slots_in_turn(layer, space_.slots());
      }
      core::step(walks_, proposals, std::vector<double>(walks_.size(), 0), options_.objective,
                 [this](std::vector<PlanTask>& tasks) { make_steps(tasks); });
    }
  }
}

void CutWalks::settle() {
  if (!options_.first_answers) return;
  std::vector<Plan> plans;
  std::vector<PlanWalk*> walks;
  for (PlanWalk& walk : walks_) {
    if (walk.prepared && walk.prepared->settled) continue;
    walks.push_back(&walk);
    plans.push_back(walk.plan);
  }
  for (const PlanFront::Point& point : evaluator_.unsettled().points()) plans.push_back(point.choice.plan);
  std::vector<PlanTask> tasks(plans.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].plan = &plans[i];
  evaluate(tasks, Costs::settled);
  // Plans that are not settled are kept for another call.
  for (const PlanTask& task : tasks)
    if (!task.done) end_if_interrupted();
  evaluator_.forget_unsettled();
  for (std::size_t i = 0; i < walks.size(); ++i) {
    walks[i]->value = value_of(options_.objective, tasks[i].figures);
    walks[i]->prepared = std::move(tasks[i].prepared);
  }
}

void CutWalks::anneal() {
  if (walks_.empty()) return;
  phase_ = &SearchSteps::walks;
  std::vector<RandomNumbers> random;
  for (std::size_t i = 0; i < walks_.size(); ++i) random.emplace_back(options_.seed, i + 1);
  const double from = std::min(progress(), 1.0);
  // The loss that a step may bring depends on how much there is to gain. Waits are the work of other cuts,
  // which colder walks do not find: the small CNN was 4 % slower after 3,000 steps.
  const double gap = best_ / bound_without_waits_ - 1;
  const double share = options_.objective == Objective::edp ? share_of_gap_of_product : share_of_gap;
  int settled = 0;
  Annealing annealing;
  annealing.objective = options_.objective;
  annealing.cooling = {std::clamp(share * gap, 1e-4, hottest), coldest};
  annealing.exchanges = exchange_count;
  annealing.next_progress = [&]() -> std::optional<double> {
    if (over()) return std::nullopt;
    const double part = (progress() - from) / std::max(1e-9, 1 - from);
    if (part * settle_count >= settled + 1) {
      settled = static_cast<int>(part * settle_count);
      settle();
    }
    return part;
  };
  annealing.propose = [&](std::size_t walk, double part, Plan& plan) {
    StepRoom room;
    room.progress = part;
    room.share_of_cuts = walk % 2 == 0 ? 0.55 : 0.75;
    room.most_nodes = static_cast<int>(options_.most_nodes * std::min(1.0, 0.4 + 1.2 * part));
    room.with_constants = with_constants_;
    PlanMoves(space_, random[walk]).change(plan, room);
  };
  annealing.chance = [&](std::size_t walk) { return random[walk].fraction(); };
  annealing.evaluate = [this](std::vector<PlanTask>& tasks) { make_steps(tasks); };
  core::anneal(walks_, annealing);
}

FoundSchedule CutWalks::found(const PlanFront::Point& point) {
  const auto& [plan, problem] = point.choice;
  FoundSchedule found;
  found.problem = problem;
  found.choice = plan.order;
  found.choice.cores = cores_of(plan, *problem);
  found.latency = point.latency;
  found.energy = point.energy;
  return found;
}

}  // namespace zz::core
