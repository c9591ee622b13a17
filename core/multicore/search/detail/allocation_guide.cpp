#include "core/multicore/search/detail/allocation_guide.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {
namespace {

double figure(const ScheduleFigures& figures, Objective goal) {
  return value_of(goal, figures.energy, figures.latency);
}

}  // namespace

Estimates::Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel)
    : problem_(std::move(problem)), parallel_(std::move(parallel)) {}

Estimates::Estimator Estimates::take_estimator() {
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_.empty()) {
      Estimator estimator = std::move(idle_.back());
      idle_.pop_back();
      return estimator;
    }
  }
  return std::make_unique<AllocationEstimate>(problem_);
}

void Estimates::give_back(Estimator estimator) {
  const std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(estimator));
}

ScheduleFigures Estimates::of(const ScheduleChoice& choice) {
  if (const ScheduleFigures* const known = answers_.find(choice)) return *known;
  OwnEstimates own(*this);
  const ScheduleFigures figures = own.of(choice);
  add(own.take());
  return figures;
}

void Estimates::make(const std::vector<ScheduleChoice>& choices) {
  std::vector<ChoiceMemo> made(choices.size());
  parallel_(choices.size(), [&](std::size_t i) {
    OwnEstimates own(*this);
    own.of(choices[i]);
    made[i] = own.take();
  });
  for (const ChoiceMemo& memo : made) add(memo);
}

ScheduleFigures OwnEstimates::of(const ScheduleChoice& choice) {
  for (const ChoiceMemo* memo : {&common_.answers_, &made_}) {
    if (const ScheduleFigures* const known = memo->find(choice)) return *known;
  }
  const ScheduleFigures figures = estimator_->estimate(choice.cores);
  made_.insert(choice, figures);
  return figures;
}

namespace {

/// Estimates for each schedule. Each takes about a third of the time of one.
constexpr int usual_steps = 8;
/// The fewer schedules there are, the longer the climb to each of them may be: so many estimates of a
/// thousand nodes take a fifth of a second.
constexpr std::int64_t least_estimates = 1024;
/// Where more are spent, schedules tell as much.
constexpr std::int64_t most_estimates = 4096;
/// Limit of all estimates together, so that on large graphs they take a few seconds, not minutes.
constexpr std::int64_t most_nodes_estimated = 16'000'000;
constexpr std::size_t most_lessons = 256;
/// Part of the estimates for descents from guesses, for each of the two figures.
constexpr std::int64_t descents_share = 8;

}  // namespace

AllocationGuide::AllocationGuide(const std::shared_ptr<const ScheduleProblem>& problem,
                                 const SearchSpace& space, std::uint64_t seed, RandomNumbers& random,
                                 const ChoiceEvaluator& evaluator, std::int64_t schedules,
                                 const ParallelFor& parallel)
    : space_(space),
      seed_(seed),
      moves_(space, random),
      evaluator_(evaluator),
      parallel_(parallel),
      estimates_(problem, parallel) {
  schedules = std::clamp<std::int64_t>(schedules, 1, most_estimates);
  steps_ = static_cast<int>(std::max<std::int64_t>(usual_steps, least_estimates / schedules));
  // Descents get the estimates that climbs do not need.
  const std::int64_t nodes = std::max(problem->tables().node_count, 1);
  most_ = std::min({most_estimates, schedules * steps_ * 3 / 2, most_nodes_estimated / nodes});
}

double AllocationGuide::predicted(const ScheduleChoice& choice, Objective goal,
                                  OwnEstimates& estimates) const {
  double sum = 0, weights = 0;
  for (const Lesson& lesson : lessons_) {
    const std::vector<int> cores = evaluator_.symmetry().nearest(lesson.cores, choice.cores);
    double distance = 0.5;
    for (std::size_t gene = 0; gene < cores.size(); ++gene) distance += cores[gene] != choice.cores[gene];
    const double weight = 1 / (distance * distance);
    sum += weight * (goal == Objective::energy ? lesson.energy : lesson.latency);
    weights += weight;
  }
  const double factor = weights > 0 ? std::exp(sum / weights) : 1;
  return figure(estimates.of(choice), goal) * factor;
}

bool AllocationGuide::is_new(ScheduleChoice& choice, const std::vector<ScheduleChoice>& others) const {
  choice.cores = evaluator_.symmetry().canonical(choice.cores);
  return !evaluator_.known(choice) && std::find(others.begin(), others.end(), choice) == others.end();
}

void AllocationGuide::learn(const std::vector<ScheduleChoice>& choices,
                            const std::vector<ScheduleFigures>& figures) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const ScheduleFigures guess = estimates_.of(choices[i]);
    figures_seen_.insert({guess.latency, guess.energy});
    if (!figures[i].feasible || figures[i].energy <= 0 || guess.energy <= 0) continue;
    if (figures[i].latency <= 0 || guess.latency <= 0) continue;
    lessons_.push_back({choices[i].cores, std::log(figures[i].energy / guess.energy),
                        std::log(figures[i].latency / guess.latency)});
    if (lessons_.size() > most_lessons) lessons_.pop_front();
  }
}

/// Changes single genes as long as that makes the estimate smaller, or until so many were asked for.
void AllocationGuide::descend(ScheduleChoice& choice, Objective goal, std::size_t most,
                              OwnEstimates& estimates, RandomNumbers& random) const {
  std::vector<std::size_t> order(choice.cores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<int>(i))]);
  }
  double least = figure(estimates.of(choice), goal);
  std::size_t in_vain = 0;
  const auto go_on = [&] {
    return in_vain < order.size() && estimates.made() < most && !evaluator_.out_of_time();
  };
  for (std::size_t i = 0; go_on(); i = (i + 1) % order.size()) {
    const std::size_t gene = order[i];
    const ScheduleChoice before = choice;
    ++in_vain;
    for (const int core : space_.domains[gene]) {
      if (core == before.cores[gene]) continue;
      const double now = figure(estimates.of(changed(before, gene, core)), goal);
      if (now >= least) continue;
      least = now;
      choice = before;
      choice.cores[gene] = core;
      in_vain = 0;
    }
  }
}

AllocationGuide::Descents AllocationGuide::descended(std::vector<ScheduleChoice> guesses, Objective goal,
                                                     std::size_t most) {
  OwnEstimates estimates(estimates_);
  // Streams far from those of the climbs.
  RandomNumbers random(seed_, std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(goal));
  std::stable_sort(guesses.begin(), guesses.end(), [&](const ScheduleChoice& a, const ScheduleChoice& b) {
    return figure(estimates.of(a), goal) < figure(estimates.of(b), goal);
  });
  const auto share = static_cast<std::size_t>(most_ / descents_share);
  Descents descents;
  for (ScheduleChoice& choice : guesses) {
    if (estimates.made() >= share || descents.choices.size() >= most || evaluator_.out_of_time()) break;
    descend(choice, goal, share, estimates, random);
    if (is_new(choice, descents.choices)) descents.choices.push_back(std::move(choice));
  }
  descents.estimates = estimates.take();
  return descents;
}

ScheduleChoice AllocationGuide::changed(const ScheduleChoice& choice, std::size_t gene, int core) const {
  ScheduleChoice changed = choice;
  changed.cores[gene] = core;
  // One name for what is the same, so that it is estimated once.
  changed.cores = evaluator_.symmetry().canonical(changed.cores);
  return changed;
}

std::vector<ScheduleChoice> AllocationGuide::first_choices(std::size_t most) {
  std::vector<ScheduleChoice> guesses, chosen;
  for (std::vector<int>& cores : moves_.sensible_cores()) {
    ScheduleChoice guess;
    guess.cores = std::move(cores);
    if (is_new(guess, guesses)) guesses.push_back(std::move(guess));
  }
  if (guesses.empty()) return guesses;
  const auto by = [&](Objective goal) {
    return [this, goal](const ScheduleChoice& a, const ScheduleChoice& b) {
      return figure(estimates_.of(a), goal) < figure(estimates_.of(b), goal);
    };
  };
  estimates_.make(guesses);
  std::array<Descents, 2> descents;
  parallel_(descents.size(), [&](std::size_t i) {
    descents[i] = descended(guesses, i == 0 ? Objective::energy : Objective::latency, most);
  });
  std::vector<ScheduleChoice> better;
  for (Descents& of_goal : descents) {
    estimates_.add(of_goal.estimates);
    for (ScheduleChoice& choice : of_goal.choices) {
      if (better.size() < most && is_new(choice, better)) better.push_back(std::move(choice));
    }
  }
  // The leanest, the fastest, the leanest of the rest ...
  for (bool lean = true; !guesses.empty() && chosen.size() < most; lean = !lean) {
    const auto best =
        std::min_element(guesses.begin(), guesses.end(), by(lean ? Objective::energy : Objective::latency));
    chosen.push_back(std::move(*best));
    guesses.erase(best);
  }
  for (ScheduleChoice& choice : better) {
    if (is_new(choice, chosen)) chosen.push_back(std::move(choice));
  }
  return chosen;
}

AllocationGuide::Climb AllocationGuide::climbed(Start start, RandomNumbers random) {
  OwnEstimates estimates(estimates_);
  GeneMoves moves(space_, random);
  Climb climb;
  const auto consider = [&](const ScheduleChoice& choice, double promise) {
    const ScheduleFigures figures = estimates.of(choice);
    if (figures_seen_.count({figures.latency, figures.energy}) == 0)
      climb.candidates.push_back({choice, promise});
  };
  double here = std::numeric_limits<double>::infinity();
  ScheduleChoice from = std::move(start.choice);
  if (is_new(from, {})) {
    here = predicted(from, start.goal, estimates);
    consider(from, here);
  }
  for (int attempt = 0, taken = 0; attempt < 4 * steps_ && taken < steps_; ++attempt) {
    ScheduleChoice next = from;
    moves.change_cores(next.cores);
    // When everything near was seen before, look farther.
    for (int extra = 10; extra <= attempt - taken; extra += 10) moves.change_cores(next.cores);
    if (!is_new(next, {})) continue;
    ++taken;
    const double promise = predicted(next, start.goal, estimates);
    consider(next, promise);
    if (promise > here) continue;
    here = promise;
    from = std::move(next);
  }
  std::stable_sort(climb.candidates.begin(), climb.candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.promise < b.promise; });
  climb.estimates = estimates.take();
  return climb;
}

std::vector<ScheduleChoice> AllocationGuide::climb(const std::vector<Start>& starts) {
  // Each draws from the stream that has the number of the schedule it looks for.
  const auto first = static_cast<std::uint64_t>(evaluator_.evaluations()) + 1;
  std::vector<Climb> climbs(starts.size());
  parallel_(starts.size(),
            [&](std::size_t i) { climbs[i] = climbed(starts[i], RandomNumbers(seed_, first + i)); });
  std::vector<ScheduleChoice> chosen;
  std::set<std::pair<double, double>> chosen_figures;
  for (Climb& climb : climbs) {
    estimates_.add(climb.estimates);
    for (Candidate& candidate : climb.candidates) {
      if (!is_new(candidate.choice, chosen)) continue;
      const ScheduleFigures figures = estimates_.of(candidate.choice);
      if (!chosen_figures.insert({figures.latency, figures.energy}).second) continue;
      chosen.push_back(std::move(candidate.choice));
      break;
    }
  }
  return chosen;
}

}  // namespace zz::core
