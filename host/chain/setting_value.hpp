#pragma once
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// Any piece of YAML as a value.
core::Value value_of(const core::yaml::Node& node);

/// A piece of YAML as the value of a setting: of the kind that is declared, and one of those that are
/// allowed. Problems go to `diagnostics`; the result is then null. `stage` is for the messages.
core::Value setting_value(const core::yaml::Node& node, const zz_param& parameter, const std::string& stage,
                          core::Diagnostics& diagnostics);

/// The default that a stage declares for a setting; null when it declares none.
core::Value default_value(const zz_param& parameter, const std::string& stage,
                          core::Diagnostics& diagnostics);

/// Why the text or number does not lie in what `allowed` describes ("a|b|c", "[1, 64]", "(0, 1]"), or "".
/// `allowed` may be NULL.
std::string why_not_allowed(const core::yaml::Node& node, const char* allowed);

}  // namespace zz::host
