#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/allocation/allocation_search.hpp"
#include "core/allocation/choice_memo.hpp"
#include "core/allocation/core_symmetry.hpp"
#include "core/allocation/pareto_front.hpp"

namespace zz::core {

/// Evaluates choices one at a time, for one thread. `reason`, when given, receives why a choice is
/// infeasible.
using EvaluateChoice = std::function<ScheduleFigures(const ScheduleChoice&, std::string* reason)>;

struct EvaluationLimits {
  std::int64_t evaluations = 0;     ///< schedules; 0: none
  double seconds = 0;               ///< 0: none
  std::function<bool()> stop = {};  ///< may be empty
};

/// Evaluates choices in batches, on several threads, each of them once: choices that are equal, or that
/// only exchange identical cores, share a schedule. Keeps the best ones. What it returns and keeps does not
/// depend on the number of threads.
class ChoiceEvaluator {
 public:
  /// `make_evaluate` may be called from several threads, and as often as there are threads.
  ChoiceEvaluator(std::function<EvaluateChoice()> make_evaluate, CoreSymmetry symmetry,
                  ParallelFor parallel, EvaluationLimits limits);

  /// Figures of each choice, which stands in its canonical form afterwards. Those that the limits left no
  /// room for are infeasible.
  std::vector<ScheduleFigures> evaluate(std::vector<ScheduleChoice>& choices);
  bool known(ScheduleChoice choice) const;

  /// True when a limit is reached or the caller wants to stop.
  bool exhausted();
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t infeasible() const { return infeasible_; }
  /// Schedules that may still be made.
  std::int64_t remaining() const;
  const ParetoFront& front() const { return front_; }
  const CoreSymmetry& symmetry() const { return symmetry_; }
  const std::string& reason() const { return reason_; }  ///< why the first infeasible choice was

 private:
  /// Figures of choices that nobody evaluated before, by index; `done` says which.
  void evaluate_new(const std::vector<const ScheduleChoice*>& choices,
                    std::vector<ScheduleFigures>& figures, std::vector<char>& done);
  EvaluateChoice take_evaluator();
  void give_back(EvaluateChoice evaluate);
  bool out_of_time() const;

  std::function<EvaluateChoice()> make_evaluate_;
  std::mutex idle_mutex_;
  std::vector<EvaluateChoice> idle_;  // evaluators that nobody uses just now
  CoreSymmetry symmetry_;
  ParallelFor parallel_;
  EvaluationLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  ChoiceMemo memo_;
  ParetoFront front_;
  std::int64_t evaluations_ = 0, infeasible_ = 0;
  bool stopped_ = false;
  std::string reason_;
};

}  // namespace zz::core
