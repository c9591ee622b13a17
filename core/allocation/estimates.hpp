#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/allocation/allocation_estimate.hpp"
#include "core/allocation/choice_memo.hpp"
#include "core/search/parallel_for.hpp"

namespace zz::core {

/// Estimates of allocations, each made once. For one thread, but for OwnEstimates.
class Estimates {
 public:
  Estimates(std::shared_ptr<const ScheduleProblem> problem, ParallelFor parallel);

  ScheduleFigures of(const ScheduleChoice& choice);
  /// Makes those that are not there yet, at the same time.
  void make(const std::vector<ScheduleChoice>& choices);
  /// How many different allocations were asked for.
  std::int64_t asked() const { return static_cast<std::int64_t>(answers_.size()); }

  /// Takes over what was asked for elsewhere.
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

/// What one of several searches asks for that run at the same time: it knows the common estimates, of which
/// nothing else may be asked meanwhile, and its own. So what it makes does not depend on the others.
class OwnEstimates {
 public:
  explicit OwnEstimates(Estimates& common) : common_(common), estimator_(common.take_estimator()) {}
  ~OwnEstimates() { common_.give_back(std::move(estimator_)); }
  OwnEstimates(const OwnEstimates&) = delete;
  OwnEstimates& operator=(const OwnEstimates&) = delete;

  ScheduleFigures of(const ScheduleChoice& choice);
  std::size_t made() const { return made_.size(); }
  /// What it made, to be added to the common ones when all searches are done.
  ChoiceMemo take() { return std::move(made_); }

 private:
  Estimates& common_;
  std::unique_ptr<AllocationEstimate> estimator_;
  ChoiceMemo made_;
};

}  // namespace zz::core
