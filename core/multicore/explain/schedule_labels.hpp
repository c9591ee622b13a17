#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

/// Names of what a schedule uses, the same in tables, pages and words.
namespace zz::core {

/// "core 3", "off-chip"
std::string core_label(const MultiCoreAccelerator& accelerator, int core);

/// "core 1", "cores 1, 2, 3"
std::string cores_words(const std::vector<int>& cores);

/// "core 0: sram", "cores 0, 1: sram", "off-chip: dram"
std::string memory_label(const MultiCoreAccelerator& accelerator, int top_memory);

/// A label for each link of the accelerator: "core 0 → core 1", "bus". Those that would have the same label
/// get their index behind it.
std::vector<std::string> link_labels(const MultiCoreAccelerator& accelerator);

/// A core that can compute, or a link that is used.
struct ScheduleResource {
  std::string label;  ///< no two alike
  bool link = false;
  int index = 0;  ///< of the core or link
};

/// The cores that can compute, by id, then the links that are used, by index. The schedule must have its
/// accelerator and graph.
std::vector<ScheduleResource> used_resources(const Schedule& schedule);

/// For people, in the order of EnergyTerm.
inline constexpr std::array<const char*, energy_term_count> energy_term_texts = {
    "arithmetic and memories of the cores",
    "links, for constants and inputs",
    "memories, for constants and inputs, and off-chip streams",
    "links, for data that is evicted",
    "memories, for data that is evicted",
    "links, for results",
    "memories, for results",
    "links, from core to core",
    "memories, from core to core"};

}  // namespace zz::core
