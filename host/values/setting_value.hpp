#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Any piece of YAML as a value.
core::Value value_of(const core::yaml::Node& node);

/// The value of a setting in YAML. It must have the declared kind and be one of the allowed values. A
/// number may be written as in C, "1e9". Problems go to `diagnostics`; the result is then null. `stage`
/// names the stage in messages.
core::Value setting_value(const core::yaml::Node& node, const zz_param& parameter, const std::string& stage,
                          core::Diagnostics& diagnostics);

/// Why a value that a stage hands down cannot stand for a setting: "must be a whole number, but found ...";
/// "" when it can.
std::string why_no_setting(const core::Value& value, const zz_param& parameter);

/// The default that a stage declares for a setting; null when it declares none. Numbers are written as in
/// C, "1e9", or as in YAML, "1.0e+9".
core::Value default_value(const zz_param& parameter, const std::string& stage,
                          core::Diagnostics& diagnostics);

/// Why a text or number is not `allowed` ("a|b|c", "[1, 64]", "(0, 1]"), or "" when it is. NULL allows all.
std::string why_not_allowed(const core::yaml::Node& node, const char* allowed);

}  // namespace zz::host
