#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exploration/design_space.hpp"
#include "plugins/internal/accelerator_fields.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// The space that a setting of a stage is; an empty one where a stage above gives the setting later. Throws
/// Error(ZZ_E_INVALID) naming the setting and all that is wrong with it.
core::DesignSpace space_of(const Value& axes, const std::string& setting);

/// Every name of the space with its value at a point.
std::vector<PointSetting> settings_of(const core::DesignSpace& space, std::uint64_t number);

/// "loma_lpf_limit = 3, accelerator.memories[l1].size = 65536": for messages.
std::string to_string(const std::vector<PointSetting>& settings);
/// The settings as [[name, value], ...], and as {name: value}.
Value as_list(const std::vector<PointSetting>& settings);
Value as_map(const std::vector<PointSetting>& settings);
/// The same for `with`, as long as the settings live.
std::vector<Entry> entries_of(const std::vector<PointSetting>& settings);

/// The context for a point: with a folder of its own in `dump_folder`, where that is given.
Value in_folder_of_point(const Value& ctx, const std::optional<std::string>& dump_folder,
                         std::uint64_t number);

/// Warns where the width of ports varies among `names` and what an access costs does not.
/// Costs that the accelerator of the context leaves open follow the width.
void warn_of_width_without_cost(const Stage& stage, const std::vector<std::string>& names,
                                const Value& ctx);

}  // namespace zz::plugins
