#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/multicore/schedule/scheduler.hpp"
#include "core/multicore/search/detail/core_symmetry.hpp"
#include "core/search/methods/parallel_for.hpp"
#include "core/search/methods/pareto_front.hpp"

namespace zz::core {

/// Figures of choices that were evaluated. Keys are compared as a whole, so equal hashes do no harm.
class ChoiceMemo {
 public:
  const ScheduleFigures* find(const ScheduleChoice& choice) const;
  void insert(const ScheduleChoice& choice, const ScheduleFigures& figures) {
    figures_.emplace(choice, figures);
  }
  void insert(const ChoiceMemo& other) { figures_.insert(other.figures_.begin(), other.figures_.end()); }
  std::size_t size() const { return figures_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const ScheduleChoice& choice) const;
  };
  std::unordered_map<ScheduleChoice, ScheduleFigures, Hash> figures_;
};

/// Evaluates choices one at a time, for one thread. `reason`, when given, receives why a choice is
/// infeasible.
using EvaluateChoice = std::function<ScheduleFigures(const ScheduleChoice&, std::string* reason)>;

struct EvaluationLimits {
  std::int64_t evaluations = 0;  ///< schedules; 0: none
  double seconds = 0;            ///< for these and for making the result; 0: none
};

/// Evaluates choices in batches on several threads. Choices that are equal, or that only exchange identical
/// cores, share one schedule. Keeps the Pareto front. The results do not depend on the number of threads.
/// Choices that an interruption cuts off count as not evaluated.
class ChoiceEvaluator {
 public:
  /// `make_evaluate` may be called from several threads, and as often as there are threads.
  ChoiceEvaluator(std::function<EvaluateChoice()> make_evaluate, CoreSymmetry symmetry,
                  ParallelFor parallel, EvaluationLimits limits);

  /// Latency and energy of each choice, which is brought into canonical form. Choices beyond the limits
  /// come back infeasible.
  std::vector<ScheduleFigures> evaluate(std::vector<ScheduleChoice>& choices);
  bool known(ScheduleChoice choice) const;

  /// True when a limit is reached or the search is interrupted.
  bool exhausted();
  bool out_of_time() const;
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t infeasible() const { return infeasible_; }
  /// Schedules that may still be made.
  std::int64_t remaining() const;
  const ParetoFront<ScheduleChoice>& front() const { return front_; }
  const CoreSymmetry& symmetry() const { return symmetry_; }
  const std::string& reason() const { return reason_; }  ///< why the first infeasible choice was

 private:
  /// Evaluates choices that are not known yet; `done` says which ones were reached.
  void evaluate_new(const std::vector<const ScheduleChoice*>& choices,
                    std::vector<ScheduleFigures>& figures, std::vector<char>& done);
  EvaluateChoice take_evaluator();
  void give_back(EvaluateChoice evaluate);

  std::function<EvaluateChoice()> make_evaluate_;
  std::mutex idle_mutex_;
  std::vector<EvaluateChoice> idle_;  // evaluators that nobody uses just now
  CoreSymmetry symmetry_;
  ParallelFor parallel_;
  EvaluationLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  std::atomic<double> slowest_ = 0;  ///< of the evaluations, in seconds
  ChoiceMemo memo_;
  ParetoFront<ScheduleChoice> front_;
  std::int64_t evaluations_ = 0, infeasible_ = 0;
  bool stopped_ = false;
  std::string reason_;
};

}  // namespace zz::core
