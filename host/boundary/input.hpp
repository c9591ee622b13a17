#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/compat/rules.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Reads a text in the format of an input file, by `type`: an "accelerator" of one core, a "mapping_file",
/// a "workload" for one core by `rules`, whose layers say nothing of their mapping yet (choose_entries), or
/// a plain tree from "yaml" or "json". `name` stands for the file in messages. Throws core::InputError,
/// also for another type.
core::Value parse_value(std::string_view type, const std::string& text, const std::string& name,
                        const core::Rules& rules, core::Diagnostics& diagnostics);

/// A plain tree from JSON; `name` stands for its source. Throws core::InputError.
core::Value value_of_json_text(const std::string& text, const std::string& name);

/// The same as parse_value() for a file.
core::Value load_value(std::string_view type, const std::string& path, const core::Files& files,
                       const core::Rules& rules, core::Diagnostics& diagnostics);

/// A copy of a layer or workload, each layer with the entry of a mapping file that the built-in readers
/// choose (core::select_mapping). Throws core::ValueError when the parts are of other types, and
/// core::InputError when an entry does not suit its layer.
core::Value choose_entries(core::Ref network, core::Ref mapping_file, const core::Rules& rules,
                           core::Diagnostics& diagnostics);

/// Reads a YAML file in a form of zz_input: ZZ_NULL anything, ZZ_MAP a map of these settings with defaults
/// filled in, ZZ_LIST a list of such maps. Throws core::InputError with all problems. Warnings go to
/// `diagnostics`. [any]
core::Value read_input(const std::string& path, std::int32_t form, std::span<const zz_param> settings,
                       const core::Files& files, core::Diagnostics& diagnostics);

/// All that is in a file: a text in UTF-8, or any bytes. Throws core::InputError that names it.
std::string read_whole(const std::string& path, bool is_text, const core::Files& files);

/// The extension "zz.input/0".
extern const zz_input input_table;

}  // namespace zz::host
