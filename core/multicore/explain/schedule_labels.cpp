#include "core/multicore/explain/schedule_labels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace zz::core {
namespace {

std::string end_label(const MultiCoreAccelerator& accelerator, int core) {
  return core < 0 ? "any" : core_label(accelerator, core);
}

std::string link_label(const MultiCoreAccelerator& accelerator, const Link& link) {
  if (link.sender < 0 && link.receiver < 0) return "bus";
  return fmt::format("{} {} {}", end_label(accelerator, link.sender), link.bidirectional ? "↔" : "→",
                     end_label(accelerator, link.receiver));
}

}  // namespace

std::string core_label(const MultiCoreAccelerator& accelerator, int core) {
  return accelerator.offchip_core == core ? "off-chip" : fmt::format("core {}", core);
}

std::string cores_words(const std::vector<int>& cores) {
  return fmt::format("{} {}", cores.size() == 1 ? "core" : "cores", fmt::join(cores, ", "));
}

std::string memory_label(const MultiCoreAccelerator& accelerator, int top_memory) {
  const TopMemory& memory = accelerator.top_memories[top_memory];
  if (memory.cores.size() == 1) return core_label(accelerator, memory.cores.front()) + ": " + memory.name;
  return cores_words(memory.cores) + ": " + memory.name;
}

std::vector<std::string> link_labels(const MultiCoreAccelerator& accelerator) {
  std::vector<std::string> labels;
  std::map<std::string, int> frequency;
  for (const Link& link : accelerator.links) {
    labels.push_back(link_label(accelerator, link));
    ++frequency[labels.back()];
  }
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (frequency[labels[i]] > 1) labels[i] += fmt::format(" (link {})", i);
  return labels;
}

std::vector<ScheduleResource> used_resources(const Schedule& schedule) {
  const MultiCoreAccelerator& accelerator = *schedule.accelerator;
  const auto runs_nodes = [&](int core) {
    return std::any_of(schedule.nodes.begin(), schedule.nodes.end(),
                       [&](const ScheduledNode& node) { return node.core == core; });
  };
  std::vector<ScheduleResource> used;
  for (int core = 0; core < accelerator.core_count(); ++core)
    if (accelerator.offchip_core != core || runs_nodes(core))
      used.push_back({core_label(accelerator, core), false, core});
  const std::vector<LinkActivity> activity = link_activity(schedule);
  const std::vector<std::string> labels = link_labels(accelerator);
  for (std::size_t link = 0; link < activity.size(); ++link)
    if (!activity[link].transfers.empty() || !activity[link].blocks.empty())
      used.push_back({labels[link], true, static_cast<int>(link)});
  return used;
}

}  // namespace zz::core
