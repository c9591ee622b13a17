#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/allocation/allocation_estimate.hpp"
#include "core/allocation/allocation_search.hpp"
#include "core/allocation/choice_memo.hpp"

namespace zz::core {

/// Estimates of allocations, each made once. A search that asks for one after the other, where what it asks
/// next depends on the answer, says what it is likely to ask when there are several threads, and those are
/// made at the same time. What is asked and answered is the same for any number of threads. For one thread,
/// but for OwnEstimates.
class Estimates {
 public:
  /// `parallel` runs its calls on so many threads.
  Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel, int threads);

  ScheduleFigures of(const ScheduleChoice& choice);
  /// How many different allocations were asked for.
  std::int64_t asked() const { return static_cast<std::int64_t>(answers_.size()); }

  /// How many estimates to make ahead at a time, of which one is sure to be needed; 1: none.
  std::size_t at_once() const { return at_once_; }
  /// True when the answer takes no time.
  bool ready(const ScheduleChoice& choice) const { return answers_.find(choice) || ahead_.find(choice); }
  /// Makes those that are not ready.
  void prepare(const std::vector<ScheduleChoice>& likely);

  /// Counts as asked for from now on.
  void add(const ChoiceMemo& answers) { answers_.insert(answers); }

 private:
  friend class OwnEstimates;
  using Estimator = std::unique_ptr<AllocationEstimate>;

  const ScheduleFigures* known(const ScheduleChoice& choice) const {
    const ScheduleFigures* const answer = answers_.find(choice);
    return answer ? answer : ahead_.find(choice);
  }
  Estimator take_estimator();
  void give_back(Estimator estimator);

  std::shared_ptr<const ScheduleProblem> problem_;
  ParallelFor parallel_;
  std::size_t at_once_;
  std::mutex idle_mutex_;
  std::vector<Estimator> idle_;  ///< that nobody uses just now
  ChoiceMemo answers_, ahead_;
};

/// What one of several searches asks for at the same time. Nothing else may be asked of `common` meanwhile.
class OwnEstimates {
 public:
  explicit OwnEstimates(Estimates& common) : common_(common), estimator_(common.take_estimator()) {}
  ~OwnEstimates() { common_.give_back(std::move(estimator_)); }
  OwnEstimates(const OwnEstimates&) = delete;
  OwnEstimates& operator=(const OwnEstimates&) = delete;

  ScheduleFigures of(const ScheduleChoice& choice);
  /// To be added to the common ones when all searches are done.
  ChoiceMemo& answers() { return answers_; }

 private:
  Estimates& common_;
  std::unique_ptr<AllocationEstimate> estimator_;
  ChoiceMemo answers_;
};

}  // namespace zz::core
