#include "plugins/internal/network_room.hpp"

#include <fmt/format.h>
#include <string>

#include "core/hardware/network_room.hpp"

namespace zz::plugins {

void check_room(const Stage& stage, const core::Workload& workload,
                const std::vector<std::shared_ptr<const core::Layer>>& layers,
                const core::Accelerator& accelerator, const core::Rules& rules, bool forgiving) {
  const std::string reason =
      core::why_network_does_not_fit(core::outermost_uses(workload, layers, accelerator, rules));
  if (reason.empty()) return;
  const std::string text =
      fmt::format("the network does not fit into accelerator '{}': {}", accelerator.name, reason);
  if (!forgiving)
    throw Error(ZZ_E_NO_RESULT, text + "; `ignore_capacity: true` runs it all the same, as if it did");
  stage.log(Level::warning, text + "; it runs as if it did");
}

}  // namespace zz::plugins
