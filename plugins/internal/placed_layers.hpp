#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/hardware/layer_numbers.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/workload.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The layers of a network that have a cost, in the order in which they are mapped, and where each runs.
struct PlacedLayers {
  std::vector<std::shared_ptr<const core::Layer>> layers;  ///< with the bits of their units
  std::vector<bool> on_unit;                               ///< on the vector unit, not on the array
  std::vector<std::shared_ptr<const core::Layer>> left_out;
  std::size_t adopted = 0;  ///< layers whose bits are those of the units
  core::IgnoredScales without_scales;
  std::vector<int> in_common;  ///< core::memories_in_common(); empty: there is none
};

/// For `no_scales` of place_layers(), by the setting `compat` of a stage.
inline std::string no_scales_with(const std::string& compat) {
  return compat.empty() ? "" : "ZigZag knows none (compat)";
}

/// `unit`: the vector unit, for layers that work on elements; may be null. `no_scales`: why scales that
/// only a network's file says do not count at all, "ZigZag knows none"; "": they do where the units take or
/// convert them. Throws as memories_in_common().
PlacedLayers place_layers(const core::Workload& workload, const core::Accelerator& accelerator,
                          const core::Accelerator* unit, const std::string& no_scales);

/// The layers with the numbers that they have on the accelerator's array, as place_layers() without a
/// vector unit gives them.
std::vector<std::shared_ptr<const core::Layer>> layers_with_numbers_of(
    const core::Accelerator& accelerator, const std::vector<std::shared_ptr<const core::Layer>>& layers,
    const std::string& no_scales);

/// Throws ZZ_E_INVALID when layers need what their accelerator lacks, InputError when an unrolling is along
/// no dimension of the array, ZZ_E_NO_RESULT when a layer has no
/// mapping whatever is searched.
void check_placed(const PlacedLayers& placed, const core::Accelerator& accelerator,
                  const core::Accelerator* unit);

/// Tells of operators without a cost, of layers that are left out, of adopted bits, and of zeros and
/// formats on the array and on the vector unit, which may be null.
void report_placed(const Stage& stage, const core::Workload& workload, const core::Accelerator& accelerator,
                   const core::Accelerator* unit, const PlacedLayers& placed);

/// The network for several cores, without scales that only its file says where a core that may run the
/// layer neither takes nor converts them. `no_scales` as for place_layers(). `report`: a warning tells of
/// it.
std::shared_ptr<const core::Workload> with_scales_of_cores(
    const Stage& stage, const std::shared_ptr<const core::Workload>& workload,
    const core::MultiCoreAccelerator& accelerator, const std::string& no_scales, bool report);

}  // namespace zz::plugins
