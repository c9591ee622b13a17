#include "core/input/zigzag/port_yaml.hpp"

#include <fmt/format.h>

#include "core/diagnostics/nearest_name.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/input/yaml/map_reader.hpp"

namespace zz::core {
namespace {

/// "I1, tl": an operand, a comma, a blank, a direction.
void read_allocation(const yaml::Node& item, const std::string& what, std::vector<PortAllocation>& target,
                     Diagnostics& diagnostics) {
  const std::string& text = item.text;
  const std::size_t comma = text.find(',');
  if (!item.is_scalar() || comma == std::string::npos) {
    diagnostics.error(
        item.mark,
        fmt::format("an item of {} must be an operand and a direction, as \"I1, tl\", but found {}", what,
                    item.describe()),
        item.is_scalar() ? "between brackets, put operand and direction in quotes" : "");
    return;
  }
  const std::string operand = text.substr(0, comma);
  const std::size_t code_begin = text.find_first_not_of(' ', comma + 1);
  const std::string code = code_begin == std::string::npos ? "" : text.substr(code_begin);
  const auto direction = parse_direction(code);
  const std::vector<std::string>& operands = memory_operand_names();
  bool known_operand = false;
  for (const std::string& name : operands) known_operand = known_operand || name == operand;
  if (!known_operand) {
    diagnostics.error(item.mark, fmt::format("unknown memory operand '{}' in {}", operand, what),
                      suggestion(operand, operands));
  }
  if (!direction) {
    diagnostics.error(
        item.mark, fmt::format("unknown direction '{}' in {}", code, what),
        "tl and th read towards the units and away from them, fl and fh write what comes from there");
  }
  if (known_operand && direction) target.push_back({operand, *direction});
}

}  // namespace

const std::vector<std::string>& direction_code_names() {
  static const std::vector<std::string> names(direction_codes.begin(), direction_codes.end());
  return names;
}

std::optional<Direction> parse_direction(std::string_view code) {
  for (int direction = 0; direction < direction_count; ++direction) {
    if (code == direction_codes[static_cast<std::size_t>(direction)])
      return static_cast<Direction>(direction);
  }
  return std::nullopt;
}

Port read_port(const yaml::Node& node, const std::string& memory, Diagnostics& diagnostics) {
  Port port;
  std::string what = "a port of " + memory;
  if (const yaml::Node* name = node.find("name"); name != nullptr && name->is_scalar()) {
    what = fmt::format("port '{}' of {}", name->text, memory);
  }
  yaml::MapReader map(node, what, diagnostics);
  map.required("name", port.name);
  if (const yaml::Node* type = map.required("type")) {
    const std::vector<std::string> known = {"read", "write", "read_write"};
    std::string text;
    if (yaml::read(*type, map.what("type"), text, diagnostics)) {
      if (text == "read") {
        port.type = PortType::read;
      } else if (text == "write") {
        port.type = PortType::write;
      } else if (text != "read_write") {
        diagnostics.error(type->mark, fmt::format("unknown type '{}' of {}", text, what),
                          suggestion(text, known));
      }
    }
  }
  map.required("bandwidth_min", port.bandwidth_min);
  map.required("bandwidth_max", port.bandwidth_max);
  if (const yaml::Node* allocation = map.required("allocation");
      allocation != nullptr && yaml::expect_list(*allocation, map.what("allocation"), diagnostics)) {
    for (const yaml::Node& item : allocation->items) {
      read_allocation(item, map.what("allocation"), port.allocation, diagnostics);
    }
  }
  map.finish();
  return port;
}

}  // namespace zz::core
