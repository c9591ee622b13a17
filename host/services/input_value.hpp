#pragma once
#include <string>
#include <string_view>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/value/value.hpp"

namespace zz::host {

/// Reads a text in the format of an input file, by `type`: an "accelerator" of one core, a "mapping_file",
/// or a plain tree from "yaml" or "json". `name` stands for the file in messages. Throws core::InputError,
/// also for another type.
core::Value parse_value(std::string_view type, const std::string& text, const std::string& name,
                        core::Diagnostics& diagnostics);

/// The same for a file.
core::Value load_value(std::string_view type, const std::string& path, const core::Files& files,
                       core::Diagnostics& diagnostics);

}  // namespace zz::host
