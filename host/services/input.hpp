#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Reads a YAML file in a form of zz_input: ZZ_NULL anything, ZZ_MAP a map of these settings with defaults
/// filled in, ZZ_LIST a list of such maps. Throws core::InputError with all problems. Warnings go to
/// `diagnostics`. [any]
core::Value read_input(const std::string& path, std::int32_t form, std::span<const zz_param> settings,
                       const core::Files& files, core::Diagnostics& diagnostics);

/// The extension "zz.input/0".
extern const zz_input input_table;

}  // namespace zz::host
