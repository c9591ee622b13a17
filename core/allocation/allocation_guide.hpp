#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/allocation/choice_evaluator.hpp"
#include "core/allocation/choice_moves.hpp"
#include "core/allocation/estimates.hpp"
#include "core/allocation/search_space.hpp"
#include "core/search/random_numbers.hpp"

namespace zz::core {

/// Says which allocations are worth a schedule, where schedules are few: by estimates (AllocationEstimate),
/// corrected by what the schedules so far came to.
///
/// - What one step promises is often less than what an estimate is off by: so each candidate is the best of
///   a short climb, not the first step that promises something.
/// - Half of the schedules are meant to be lean, the others fast. One sum of both would find neither end
///   of the front, which is what is asked for.
/// - Estimates are wrong in the same way for allocations that are alike: one that differs in few genes from
///   a schedule made before is corrected by the same factor.
/// - Two allocations with equal estimates of both figures differ, as a rule, in nothing but the names of
///   cores, where routes between them are unlike but not used: a second one is not proposed.
///
/// Estimates are limited, since they take time as well; when they are spent the search goes on without.
/// By then it has made enough schedules to be led by those.
///
/// Climbs of a generation know nothing of each other, each with random numbers of its own, and so do the
/// descents for the one and the other figure: several threads make them, with the same results.
class AllocationGuide {
 public:
  enum class Goal { energy, latency };

  /// `evaluator` makes the schedules, so many of them; `parallel` runs its calls.
  /// Climbs draw from streams of `seed` above 1, descents from the last ones.
  AllocationGuide(const std::shared_ptr<const ScheduleProblem>& problem, const SearchSpace& space,
                  std::uint64_t seed, RandomNumbers& random, const ChoiceEvaluator& evaluator,
                  std::int64_t schedules, const ParallelFor& parallel);

  bool spent() const { return estimates_.asked() >= most_; }

  /// Allocations to begin with, `most` at the most: good guesses, those with the smallest estimates first,
  /// and what the best of them become when single genes change as long as that helps.
  std::vector<ScheduleChoice> first_choices(std::size_t most);

  /// Where a climb begins, and what for.
  struct Start {
    ScheduleChoice choice;
    Goal goal = Goal::energy;
  };
  /// The most promising allocation on a climb from each start: not known, and not one of those before;
  /// left out where there is none.
  std::vector<ScheduleChoice> climb(const std::vector<Start>& starts);

  /// What schedules came to.
  void learn(const std::vector<ScheduleChoice>& choices, const std::vector<ScheduleFigures>& figures);

  static double figure(const ScheduleFigures& figures, Goal goal) {
    return goal == Goal::energy ? figures.energy : figures.latency;
  }

 private:
  /// How far an estimate was off: logarithms of schedule by estimate.
  struct Lesson {
    std::vector<int> cores;
    double energy = 0, latency = 0;
  };

  /// An allocation that a climb came by.
  struct Candidate {
    ScheduleChoice choice;
    double promise;
  };
  /// What guesses became.
  struct Descents {
    std::vector<ScheduleChoice> choices;
    ChoiceMemo estimates;
  };
  /// What a climb came to: the most promising first.
  struct Climb {
    std::vector<Candidate> candidates;
    ChoiceMemo estimates;
  };

  double predicted(const ScheduleChoice& choice, Goal goal, OwnEstimates& estimates) const;
  /// Puts the choice into canonical form; true when nobody evaluated it and `others` do not have it.
  bool is_new(ScheduleChoice& choice, const std::vector<ScheduleChoice>& others) const;
  void descend(ScheduleChoice& choice, Goal goal, std::size_t most, OwnEstimates& estimates,
               RandomNumbers& random) const;
  /// From the best guesses, until they had their share of the estimates.
  Descents descended(std::vector<ScheduleChoice> guesses, Goal goal, std::size_t most);
  /// One of the choices that differ in one gene, by the name that it is estimated by.
  ScheduleChoice changed(const ScheduleChoice& choice, std::size_t gene, int core) const;
  Climb climbed(Start start, RandomNumbers random);

  const SearchSpace& space_;
  std::uint64_t seed_;
  ChoiceMoves moves_;
  const ChoiceEvaluator& evaluator_;
  ParallelFor parallel_;
  Estimates estimates_;
  std::int64_t most_ = 0;                             // estimates
  int steps_ = 0;                                     // of a climb
  std::deque<Lesson> lessons_;                        // the latest
  std::set<std::pair<double, double>> figures_seen_;  // estimates of what was evaluated
};

}  // namespace zz::core
