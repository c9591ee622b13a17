#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"

/// Runs of Stream 0.0.8 that were recorded: networks, costs and schedules.
namespace zz::test {

/// Folder of the recorded cases; empty when it is not beside the checkout.
std::filesystem::path recorded_cases();
/// The cases with all details, by name: every day those whose packed file has at most 60,000 bytes, three
/// in four.
std::vector<std::string> recorded_case_names();
nlohmann::ordered_json recorded_case(const std::string& name);
/// The packed file with everything of a case.
nlohmann::ordered_json recorded_details(const std::string& name);

/// A network, its accelerator as far as splitting looks at it, and the settings of a run, built from the
/// case file alone.
struct RecordedNetwork {
  core::Workload workload;
  core::MultiCoreAccelerator accelerator;  ///< top memories only: no cores, no links
  core::SplitOptions options;              ///< by the rules of Stream
};
RecordedNetwork recorded_network(const nlohmann::ordered_json& recorded);

/// Graph, accelerator and costs of a run as they were when it scheduled, and the schedules that it made.
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
RecordedCase recorded_case_of_schedules(const std::string& name);

/// One of the schedules of a case that was not refused, without costs.
core::Schedule recorded_schedule(const RecordedCase& of, const nlohmann::json& recorded);

/// The first thing in which a schedule differs from a recorded one, to the last list entry; "" when none.
std::string first_difference(const core::Schedule& schedule, const nlohmann::json& recorded);

/// The costs of nodes on cores, and what they were found for.
struct RecordedCosts {
  explicit RecordedCosts(const std::string& name);

  nlohmann::json rows;  ///< "intra_core_costs" as recorded
  int factor_limit = 0;
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;  ///< as its file says
  std::shared_ptr<const core::ComputationNodeGraph> graph;
};

}  // namespace zz::test
