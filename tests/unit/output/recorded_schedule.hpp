#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

/// Schedules that were recorded from Stream, as far as a writer looks at them: not their costs, not the
/// loops of their layers.
namespace zz::test {

using Json = nlohmann::json;

/// The recorded cases with all details, by name; empty when they are not beside the checkout.
std::vector<std::string> recorded_schedule_cases();

struct RecordedSchedules {
  explicit RecordedSchedules(const std::string& name);

  Json details;  ///< as recorded
  std::shared_ptr<const core::MultiCoreAccelerator> accelerator;
  std::shared_ptr<const core::ComputationNodeGraph> graph;

  /// One of details["schedules"] that was not refused.
  core::Schedule schedule(const Json& recorded) const;

 private:
  void read_accelerator(const Json& recorded);
  void read_graph(const Json& layers);
  int node(const Json& id_and_sub_id) const;
  int tensor(const Json& identity) const;
};

}  // namespace zz::test
