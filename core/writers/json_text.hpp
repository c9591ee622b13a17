#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace zz::core {

/// The tree as JSON text with an indent of four and a line end after the last brace.
///
/// Integers are written exactly. Floating-point numbers have the fewest digits that read back to the
/// same double and always show that they are one ("48.0"); what JSON cannot express (infinite, not a
/// number) becomes null.
std::string json_text(const nlohmann::ordered_json& tree);

}  // namespace zz::core
