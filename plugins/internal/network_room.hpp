#pragma once
#include <memory>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/workload/workload.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// For stages that map a network as a whole.
struct CapacitySetting {
  bool ignore_capacity = false;
  static constexpr auto capacity_setting = param<&CapacitySetting::ignore_capacity>(
      "ignore_capacity",
      "run networks whose weights, cached keys and values, and largest inputs and results do not fit into "
      "the outermost memories; else they are refused, but with `compat`, as ZigZag and Stream run them");
};

/// Throws ZZ_E_NO_RESULT when the network does not fit into the accelerator's outermost memories; warns
/// instead where `forgiving`. `layers` are those of the network as they run.
void check_room(const Stage& stage, const core::Workload& workload,
                const std::vector<std::shared_ptr<const core::Layer>>& layers,
                const core::Accelerator& accelerator, const core::Rules& rules, bool forgiving);

}  // namespace zz::plugins
