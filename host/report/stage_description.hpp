#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// The description of a stage as JSON.
nlohmann::ordered_json description_of(const StageSource& source);

/// The same as a page of Markdown.
std::string page_of(const StageSource& source);

/// The default of a setting as JSON; null when its YAML cannot be read.
nlohmann::ordered_json default_of(const zz_param& parameter);

}  // namespace zz::host
