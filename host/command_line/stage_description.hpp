#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/plugins/plugin_registry.hpp"

namespace zz::host {

/// Everything that a stage says about itself, as JSON.
nlohmann::ordered_json description_of(const StageSource& source);

/// The same as a page of Markdown.
std::string page_of(const StageSource& source);

/// A default, written as YAML by the plugin, as JSON; null when it cannot be read.
nlohmann::ordered_json default_of(const zz_param& parameter);

}  // namespace zz::host
