#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/multicore/search/detail/allocation_estimate.hpp"
#include "core/multicore/search/detail/choice_evaluator.hpp"
#include "core/multicore/search/detail/gene_moves.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/methods/parallel_for.hpp"
#include "core/search/methods/random_numbers.hpp"

namespace zz::core {

/// A memo of estimates. For one thread, except through OwnEstimates.
class Estimates {
 public:
  Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel);

  ScheduleFigures of(const ScheduleChoice& choice);
  /// Makes the missing ones on several threads.
  void make(const std::vector<ScheduleChoice>& choices);
  /// Number of estimates made.
  std::int64_t asked() const { return static_cast<std::int64_t>(answers_.size()); }

  /// Adds estimates that were made elsewhere.
  void add(const ChoiceMemo& answers) { answers_.insert(answers); }

 private:
  friend class OwnEstimates;
  using Estimator = std::unique_ptr<AllocationEstimate>;

  Estimator take_estimator();
  void give_back(Estimator estimator);

  std::shared_ptr<const ScheduleProblem> problem_;
  ParallelFor parallel_;
  std::mutex idle_mutex_;
  std::vector<Estimator> idle_;  ///< that nobody uses just now
  ChoiceMemo answers_;
};

/// The estimates of one of several searches that run at the same time. It reads the common ones, which must
/// not change meanwhile, and adds to its own, so that its results do not depend on the other searches.
class OwnEstimates {
 public:
  explicit OwnEstimates(Estimates& common) : common_(common), estimator_(common.take_estimator()) {}
  ~OwnEstimates() { common_.give_back(std::move(estimator_)); }
  OwnEstimates(const OwnEstimates&) = delete;
  OwnEstimates& operator=(const OwnEstimates&) = delete;

  ScheduleFigures of(const ScheduleChoice& choice);
  std::size_t made() const { return made_.size(); }
  /// Its own estimates, to be added to the common ones when all searches are done.
  ChoiceMemo take() { return std::move(made_); }

 private:
  Estimates& common_;
  std::unique_ptr<AllocationEstimate> estimator_;
  ChoiceMemo made_;
};

/// Chooses the allocations that are worth a schedule when only few schedules can be made. It uses estimates
/// (AllocationEstimate), corrected by the schedules made so far:
///
/// - Each proposal is the best point of a short hill climb. A single step often promises less than an
///   estimate is wrong by.
/// - Half of the climbs minimise energy, the other half latency. A weighted sum would miss both ends of the
///   front.
/// - Estimates are wrong in the same way for similar allocations. The correction factor of an allocation is
///   an average over earlier schedules, weighted by how few genes differ.
/// - Two allocations with the same estimates usually differ in the names of cores only. The second one is
///   not proposed.
///
/// The number of estimates is limited, since they take time, too. After that the search goes on without a
/// guide.
///
/// Climbs of one generation are independent and have random numbers of their own, and so have the descents
/// for energy and latency. They run on several threads with the same results as on one.
class AllocationGuide {
 public:
  /// `evaluator` makes the schedules, so many of them; `parallel` runs its calls. Climbs draw from streams
  /// of `seed` above 1, descents from the last ones.
  AllocationGuide(const std::shared_ptr<const ScheduleProblem>& problem, const SearchSpace& space,
                  std::uint64_t seed, RandomNumbers& random, const ChoiceEvaluator& evaluator,
                  std::int64_t schedules, const ParallelFor& parallel);

  bool spent() const { return estimates_.asked() >= most_; }

  /// At most `most` allocations to begin with: the guesses with the smallest estimates, and those improved
  /// by changing single genes as long as that helps.
  std::vector<ScheduleChoice> first_choices(std::size_t most);

  /// The start of a climb, and the figure that it minimises: energy or latency.
  struct Start {
    ScheduleChoice choice;
    Objective goal = Objective::energy;
  };
  /// The most promising new allocation on a climb from each start; left out where there is none.
  std::vector<ScheduleChoice> climb(const std::vector<Start>& starts);

  /// Learns from schedules that were made.
  void learn(const std::vector<ScheduleChoice>& choices, const std::vector<ScheduleFigures>& figures);

 private:
  /// Logarithms of what a schedule came to, divided by its estimate.
  struct Lesson {
    std::vector<int> cores;
    double energy = 0, latency = 0;
  };

  /// A point of a climb.
  struct Candidate {
    ScheduleChoice choice;
    double promise;
  };
  /// Improved guesses.
  struct Descents {
    std::vector<ScheduleChoice> choices;
    ChoiceMemo estimates;
  };
  /// The points of a climb, the most promising first.
  struct Climb {
    std::vector<Candidate> candidates;
    ChoiceMemo estimates;
  };

  double predicted(const ScheduleChoice& choice, Objective goal, OwnEstimates& estimates) const;
  /// Puts the choice into canonical form; true when nobody evaluated it and `others` do not have it.
  bool is_new(ScheduleChoice& choice, const std::vector<ScheduleChoice>& others) const;
  void descend(ScheduleChoice& choice, Objective goal, std::size_t most, OwnEstimates& estimates,
               RandomNumbers& random) const;
  /// From the best guesses, until they had their share of the estimates.
  Descents descended(std::vector<ScheduleChoice> guesses, Objective goal, std::size_t most);
  /// One of the choices that differ in one gene, by the name that it is estimated by.
  ScheduleChoice changed(const ScheduleChoice& choice, std::size_t gene, int core) const;
  Climb climbed(Start start, RandomNumbers random);

  const SearchSpace& space_;
  std::uint64_t seed_;
  GeneMoves moves_;
  const ChoiceEvaluator& evaluator_;
  ParallelFor parallel_;
  Estimates estimates_;
  std::int64_t most_ = 0;                             // estimates
  int steps_ = 0;                                     // of a climb
  std::deque<Lesson> lessons_;                        // the latest
  std::set<std::pair<double, double>> figures_seen_;  // estimates of what was evaluated
};

}  // namespace zz::core
