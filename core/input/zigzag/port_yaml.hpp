#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// The direction of "tl", "fl", "th" or "fh"; nothing for another text.
std::optional<Direction> parse_direction(std::string_view code);
/// The four codes, for suggestions.
const std::vector<std::string>& direction_code_names();

/// Reads one item of `ports:` in the format of ZigZag 3.8.5. `memory` names the memory in messages.
Port read_port(const yaml::Node& node, const std::string& memory, Diagnostics& diagnostics);

}  // namespace zz::core
