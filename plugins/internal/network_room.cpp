#include "plugins/internal/network_room.hpp"

#include <fmt/format.h>
#include <string>

#include "core/hardware/network_room.hpp"

namespace zz::plugins {

std::shared_ptr<const core::Accelerator> check_room(
    const Stage& stage, const core::Workload& workload,
    const std::vector<std::shared_ptr<const core::Layer>>& layers,
    const std::shared_ptr<const core::Accelerator>& accelerator, const core::Rules& rules,
    Capacity capacity, bool quiet) {
  const auto uses = core::outermost_uses(workload, layers, *accelerator, rules);
  const std::string reason = core::why_network_does_not_fit(uses);
  if (!reason.empty()) {
    const std::string text =
        fmt::format("the network does not fit into accelerator '{}': {}", accelerator->name, reason);
    if (capacity == Capacity::refuse)
      throw Error(ZZ_E_NO_RESULT, text + "; `ignore_capacity: true` runs it all the same, as if it did");
    if (!quiet) stage.log(Level::warning, text + "; it runs as if it did");
  }
  if (capacity != Capacity::ignore) return accelerator;
  std::vector<std::string> warnings;
  auto larger = core::with_room_for_layers(accelerator, uses, warnings);
  for (const std::string& warning : warnings)
    if (!quiet) stage.log(Level::warning, warning);
  return larger;
}

void check_room_off_chip(const Stage& stage, const core::Workload& workload,
                         const core::MultiCoreAccelerator& accelerator, const core::Rules& rules,
                         Capacity capacity) {
  if (!accelerator.offchip_core) return;
  check_room(stage, workload, workload.layers,
             accelerator.cores[static_cast<std::size_t>(*accelerator.offchip_core)], rules,
             capacity == Capacity::ignore ? Capacity::warn : capacity);
}

}  // namespace zz::plugins
