#pragma once
#include <nlohmann/json.hpp>

#include "zz/stage.hpp"

namespace zz::plugins {

/// The JSON value as a value of the host.
Value value_of_json(const nlohmann::json& json);

}  // namespace zz::plugins
