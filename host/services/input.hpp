#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// What a YAML file holds, in a form of zz_input: ZZ_NULL as it is, ZZ_MAP a complete map of these
/// settings, ZZ_LIST a list of such maps. Throws core::InputError with all problems, or the reason why the
/// file cannot be read; warnings go to `diagnostics`. [any]
core::Value read_input(const std::string& path, std::int32_t form, std::span<const zz_param> settings,
                       core::Diagnostics& diagnostics);

/// The extension "zz.input/0".
extern const zz_input input_table;

}  // namespace zz::host
