#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zz::core {

/// The tree as JSON text, as JsonWriter writes it.
std::string json_text(const nlohmann::ordered_json& tree);

}  // namespace zz::core
