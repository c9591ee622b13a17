#pragma once
#include <memory>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/workload.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Treatment of networks that do not fit.
enum class Capacity {
  refuse,
  warn,   ///< layers that do not fit by themselves are for their mapper to refuse
  ignore  ///< these run, too
};

/// For stages that map a network as a whole.
struct CapacitySetting {
  bool ignore_capacity = false;
  static constexpr auto capacity_setting = param<&CapacitySetting::ignore_capacity>(
      "ignore_capacity",
      "run networks whose weights, cached keys and values, and largest inputs and results do not fit into "
      "the outermost memories; else they are refused, but with `compat`, as ZigZag and Stream run them");
  Capacity capacity(bool compat) const {
    return ignore_capacity ? Capacity::ignore : compat ? Capacity::warn : Capacity::refuse;
  }
};

/// Throws ZZ_E_NO_RESULT when the network does not fit into the accelerator's outermost memories, or warns.
/// `layers` are those of the network as they run. The accelerator to map them on: with `ignore` one that
/// has room for each of them by itself.
std::shared_ptr<const core::Accelerator> check_room(
    const Stage& stage, const core::Workload& workload,
    const std::vector<std::shared_ptr<const core::Layer>>& layers,
    const std::shared_ptr<const core::Accelerator>& accelerator, const core::Rules& rules,
    Capacity capacity, bool quiet = false);
/// The same of the memory off the chip of several cores, if there is one. It is never taken for larger:
/// layers lie there in parts.
void check_room_off_chip(const Stage& stage, const core::Workload& workload,
                         const core::MultiCoreAccelerator& accelerator, const core::Rules& rules,
                         Capacity capacity);

}  // namespace zz::plugins
