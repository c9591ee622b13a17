#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/multicore/search/detail/plan.hpp"
#include "core/multicore/search/detail/plan_front.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Evaluates plans of the same cuts, for one thread. Figures that are not below `wanted_below`, in whatever
/// it makes small, are of no use. `reason` receives why a plan does not fit.
using EvaluatePlan = std::function<PlanFigures(const Plan&, double wanted_below, std::string& reason)>;

/// Cuts with all that plans of them share: graph, costs, and what evaluates them. [any]
class PreparedCuts {
 public:
  /// `make` may be called from several threads, and as often as there are threads; empty: no plan of these
  /// cuts runs anywhere.
  PreparedCuts(Partition of, std::shared_ptr<const ScheduleProblem> graph, bool costs_settled,
               std::function<EvaluatePlan()> make)
      : cuts(std::move(of)), problem(std::move(graph)), settled(costs_settled), make_(std::move(make)) {}

  const Partition cuts;
  const std::shared_ptr<const ScheduleProblem> problem;  ///< null: some layer runs nowhere
  const bool settled;                                    ///< all its costs are (CutPrice)

  PlanFigures evaluate(const Plan& plan, double wanted_below, std::string& reason);

 private:
  std::function<EvaluatePlan()> make_;
  std::mutex mutex_;
  std::vector<EvaluatePlan> idle_;
};

/// A plan to be evaluated, and what came of it.
struct PlanTask {
  Plan* plan = nullptr;  ///< is brought into its canonical form
  double wanted_below = std::numeric_limits<double>::infinity();
  /// Taken over where it is of the same cuts; made where the plan is evaluated and it is not.
  std::shared_ptr<PreparedCuts> prepared = {};
  PlanFigures figures = {};  ///< out
  bool done = false;         ///< out; false: a limit or an interruption came before
};

struct EvaluationLimits {
  std::int64_t evaluations = 0;  ///< schedules; 0: none
  double seconds = 0;            ///< for these and for making the result; 0: none
  /// Bytes of the plans whose figures are remembered. When there are more, all are forgotten.
  std::size_t remembered = std::numeric_limits<std::size_t>::max();
};

/// Costs of pieces that a schedule is made of.
enum class Costs {
  first,    ///< first answers will do, where there are any (CutPrices)
  settled,  ///< of all tasks; what is prepared must be so
};

/// The evaluator of all searches for plans: in batches, on several threads. Plans that are equal, or that
/// only exchange identical cores, share one schedule, and it keeps the front of those that were made.
/// Results do not depend on the number of threads.
class PlanEvaluator {
 public:
  /// Prepares the cuts of all these tasks, from the calling thread.
  using Prepare = std::function<void(const std::vector<PlanTask*>&, Costs)>;
  using Canonical = std::function<void(Plan&)>;

  /// `canonical` gives plans that only exchange identical cores one form; empty: none do.
  PlanEvaluator(Prepare prepare, ParallelFor parallel, EvaluationLimits limits = {},
                Canonical canonical = {});

  /// Evaluates all that are not known, within the limits. Those that an interruption cuts off are not done;
  /// one that comes while cuts are being prepared is thrown on.
  void evaluate(std::vector<PlanTask>& tasks, Costs costs = Costs::first);
  /// The same for plans alone; what is not done is not feasible.
  std::vector<PlanFigures> evaluate(std::vector<Plan>& plans);

  void make_canonical(Plan& plan) const {
    if (canonical_) canonical_(plan);
  }
  /// True if a plan in its canonical form was evaluated.
  bool known(const Plan& plan) const;

  /// True when a limit is reached or the search is interrupted.
  bool exhausted();
  std::int64_t evaluations() const { return evaluations_; }  ///< schedules that were made
  std::int64_t infeasible() const { return infeasible_; }    ///< of these
  /// Schedules that may still be made.
  std::int64_t remaining() const;
  const PlanFront& front() const { return front_; }
  /// The front of those with a cost of a first answer, since they were forgotten.
  const PlanFront& unsettled() const { return unsettled_; }
  void forget_unsettled() { unsettled_ = {}; }
  const std::string& reason() const { return reason_; }  ///< why the first infeasible plan was

 private:
  struct Known {
    PlanFigures figures;
    bool done = false;
  };
  using Memo = std::unordered_map<std::string, Known>;

  /// Returns the tasks that turned out to need a schedule of their own.
  std::vector<PlanTask*> evaluate_some(const std::vector<PlanTask*>& tasks, Costs costs);
  void evaluate_new(const std::vector<PlanTask*>& tasks, Costs costs);
  void keep(const PlanTask& task);
  bool out_of_time() const;

  Prepare prepare_;
  ParallelFor parallel_;
  EvaluationLimits limits_;
  Canonical canonical_;
  std::chrono::steady_clock::time_point begin_;
  std::atomic<double> slowest_ = 0;  ///< of the evaluations, in seconds
  Memo memo_;                        ///< by the key of the plan
  std::size_t remembered_ = 0;       ///< bytes of keys
  PlanFront front_, unsettled_;
  std::int64_t evaluations_ = 0, infeasible_ = 0;
  bool stopped_ = false;
  std::string reason_;
};

/// Given cuts are a menu of one: the same for all tasks, prepared once. `make` as for PreparedCuts.
PlanEvaluator::Prepare given_cuts(std::shared_ptr<const ScheduleProblem> problem,
                                  std::function<EvaluatePlan()> make);

}  // namespace zz::core
