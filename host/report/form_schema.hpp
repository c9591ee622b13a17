#pragma once
#include <nlohmann/json.hpp>

#include "core/input/yaml/form.hpp"

namespace zz::host {

/// A form as JSON Schema, draft 2020-12. Tables become definitions in `definitions`, each once, named after
/// what they are of.
nlohmann::ordered_json schema_of(const core::yaml::Form& form, nlohmann::ordered_json& definitions);

/// The schema of a whole file of that form.
nlohmann::ordered_json file_schema(const char* title, const core::yaml::Form& form);

}  // namespace zz::host
