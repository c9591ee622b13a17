#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"

namespace zz::test {

/// A recorded run of Stream 0.0.8: graph, accelerator and costs as they were when it scheduled, and the
/// schedules that it made.
struct RecordedCase {
  std::string name;
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;
  std::shared_ptr<const core::ComputationNodeGraph> graph;
  std::shared_ptr<const core::CoreCosts> costs;
  core::ScheduleOptions options;  ///< by the rules of Stream
  nlohmann::json schedules;       ///< as recorded, complete
  nlohmann::json searched;        ///< [genes, energy, latency, seconds] of each evaluation of the search
  nlohmann::json exhaustive;      ///< [genes, latency, energy, error] of every allocation, or null

  std::shared_ptr<const core::ScheduleProblem> problem(bool as_stream) const;
  core::ScheduleChoice choice(const nlohmann::json& genes) const;
};

/// The cases that have schedules, by name; empty when they are not beside the checkout.
std::vector<std::string> cases_with_schedules();
RecordedCase recorded_case_of_schedules(const std::string& name);

/// The first thing in which a schedule differs from a recorded one, to the last list entry; "" when none.
std::string first_difference(const core::Schedule& schedule, const nlohmann::json& recorded);

}  // namespace zz::test
