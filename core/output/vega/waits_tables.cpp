#include "core/output/vega/waits_tables.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace zz::core {
namespace {

std::vector<std::string> resources_of(std::span<const NamedSchedule> schedules) {
  std::vector<std::string> resources;
  for (const NamedSchedule& schedule : schedules)
    for (const auto& row : schedule.tables->at("times")) {
      const auto& name = row.at("resource").get_ref<const std::string&>();
      if (std::find(resources.begin(), resources.end(), name) == resources.end()) resources.push_back(name);
    }
  return resources;
}

}  // namespace

VegaTables waits_tables(std::span<const NamedSchedule> schedules) {
  VegaTables bars = VegaTables::array(), times = VegaTables::array();
  for (const std::string& resource : resources_of(schedules)) {
    for (const NamedSchedule& schedule : schedules) {
      const std::size_t bar = bars.size();
      bool there = false;
      for (const auto& row : schedule.tables->at("times")) {
        if (row.at("resource") != resource) continue;
        times.push_back({{"bar", bar}, {"use", row.at("use")}, {"cycles", row.at("cycles")}});
        there = true;
      }
      if (!there) continue;
      bars.push_back({{"bar", bar},
                      {"label", schedule.name.empty() ? resource : resource + ", " + schedule.name},
                      {"latency", schedule.tables->at("schedule").at(0).at("latency")}});
    }
  }
  return {{"bars", std::move(bars)}, {"times", std::move(times)}};
}

}  // namespace zz::core
