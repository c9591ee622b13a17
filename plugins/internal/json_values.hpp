#pragma once
#include <nlohmann/json.hpp>

#include "zz/stage.hpp"

namespace zz::plugins {

/// The JSON value as a value of the host.
Value value_of_json(const nlohmann::json& json);
/// The reverse. Infinite numbers stay, which texts of JSON cannot have.
nlohmann::ordered_json json_of_value(Ref value);

}  // namespace zz::plugins
