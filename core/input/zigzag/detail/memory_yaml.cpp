#include "core/input/zigzag/detail/memory_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/number_text.hpp"
#include "core/hardware/accelerator_check.hpp"
#include "core/hardware/open_costs.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/detail/accelerator_keys.hpp"
#include "core/input/zigzag/detail/cost_yaml.hpp"
#include "core/input/zigzag/detail/sparsity_yaml.hpp"

namespace zz::core {
namespace {

/// The direction of "tl", "fl", "th" or "fh"; nothing for another text.
std::optional<Direction> parse_direction(std::string_view code) {
  for (int direction = 0; direction < direction_count; ++direction) {
    if (code == direction_codes[static_cast<std::size_t>(direction)])
      return static_cast<Direction>(direction);
  }
  return std::nullopt;
}

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

FirstTouch read_line(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  FirstTouch line;
  yaml::MapReader map(node, what, line_keys(), diagnostics);
  map.find("bytes", line.bytes);
  map.find("cold_cycles", line.cold_cycles);
  map.finish();
  return line;
}

PortRequests read_request(const yaml::Node& node, const std::string& what, Diagnostics& diagnostics) {
  PortRequests request;
  yaml::MapReader map(node, what, request_keys(), diagnostics);
  map.find("bytes", request.bytes);
  map.find("cycles", request.cycles);
  if (const yaml::Node* store = map.find("store")) {
    request.store.emplace();
    yaml::MapReader own(*store, "store in " + what, store_keys(), diagnostics);
    own.find("bytes", request.store->bytes);
    own.find("cycles", request.store->cycles);
    own.finish();
  }
  map.finish();
  return request;
}

/// One item of `ports:` in the format of ZigZag 3.8.5. `memory` names the memory in messages.
Port read_port(const yaml::Node& node, const std::string& memory, Diagnostics& diagnostics) {
  Port port;
  std::string what = "a port of " + memory;
  if (const yaml::Node* name = node.find("name"); name != nullptr && name->is_scalar()) {
    what = fmt::format("port '{}' of {}", name->text, memory);
  }
  yaml::MapReader map(node, what, port_keys(), diagnostics);
  map.find("name", port.name);
  if (const yaml::Node* type = map.find("type")) {
    const std::vector<std::string>& known = port_keys().find("type")->form.words;
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
  map.find("bandwidth_min", port.bandwidth_min);
  map.find("bandwidth_max", port.bandwidth_max);
  if (const yaml::Node* allocation = map.find("allocation");
      allocation != nullptr && yaml::expect_short_list(*allocation, map.what("allocation"), diagnostics)) {
    for (const yaml::Node& item : allocation->items) {
      read_allocation(item, map.what("allocation"), port.allocation, diagnostics);
    }
    if (allocation->items.empty())
      diagnostics.warning(allocation->mark, fmt::format("{} carries nothing", what));
  }
  map.find("efficiency", port.efficiency);
  map.find("overlap", port.overlap);
  if (const yaml::Node* line = map.find("line"))
    port.line = read_line(*line, "the line of " + what, diagnostics);
  if (const yaml::Node* request = map.find("request"))
    port.request = read_request(*request, "the request of " + what, diagnostics);
  map.finish();
  return port;
}

struct Bandwidths {
  std::int64_t read = 0, write = 0;
  std::int64_t read_granularity = 0, write_granularity = 0;
};

/// Appends "r_port_1".."r_port_<count>" and so on.
void add_ports(std::vector<Port>& ports, std::int64_t count, const char* prefix, PortType type,
               std::int64_t minimum, std::int64_t maximum) {
  for (std::int64_t i = 1; i <= count; ++i) {
    ports.push_back({prefix + std::to_string(i), type, minimum, maximum, {}});
  }
}

/// Stream 0.0.8 accepts a granularity beyond the bandwidth: transfers are padded to it, and cost as
/// many accesses of the bandwidth's bits as that takes.
void warn_about_padding(const yaml::MapReader& map, const yaml::Node& memory, const char* granularity_key,
                        std::int64_t granularity, const char* bandwidth_key, std::int64_t bandwidth,
                        Diagnostics& diagnostics) {
  if (bandwidth < 1 || granularity <= bandwidth) return;
  diagnostics.warning(
      memory.find(granularity_key)->mark,
      fmt::format(
          "{} is {}, more than {}, which is {}; transfers are padded to multiples of {} bits and cost "
          "{:.4g} accesses or more",
          map.what(granularity_key), granularity, bandwidth_key, bandwidth, granularity,
          static_cast<double>(granularity) / static_cast<double>(bandwidth)));
}

std::vector<Port> declared_ports(yaml::MapReader& map, const yaml::Node& memory, Diagnostics& diagnostics) {
  Bandwidths bandwidths;
  map.find("r_bw", bandwidths.read);
  map.find("w_bw", bandwidths.write);
  bandwidths.read_granularity = bandwidths.read;
  bandwidths.write_granularity = bandwidths.write;
  map.find("min_r_granularity", bandwidths.read_granularity);
  map.find("min_w_granularity", bandwidths.write_granularity);
  warn_about_padding(map, memory, "min_r_granularity", bandwidths.read_granularity, "r_bw", bandwidths.read,
                     diagnostics);
  warn_about_padding(map, memory, "min_w_granularity", bandwidths.write_granularity, "w_bw",
                     bandwidths.write, diagnostics);
  std::int64_t counts[3] = {};
  const char* const keys[3] = {"r_port", "w_port", "rw_port"};
  for (int i = 0; i < 3; ++i) {
    if (!map.find(keys[i], counts[i]) || (counts[i] >= 0 && counts[i] <= most_counted_ports)) continue;
    diagnostics.error(
        memory.find(keys[i])->mark,
        fmt::format("{} is {}; it must be from 0 to {}", map.what(keys[i]), counts[i], most_counted_ports));
    counts[i] = 0;
  }

  std::vector<Port> ports;
  add_ports(ports, counts[0], "r_port_", PortType::read, bandwidths.read_granularity, bandwidths.read);
  add_ports(ports, counts[1], "w_port_", PortType::write, bandwidths.write_granularity, bandwidths.write);
  if (counts[2] > 0 && (bandwidths.read != bandwidths.write ||
                        bandwidths.read_granularity != bandwidths.write_granularity)) {
    diagnostics.warning(
        memory.mark,
        fmt::format("{} has ports that read and write, but two bandwidths; the smaller one counts "
                    "for both",
                    map.what()));
  }
  add_ports(ports, counts[2], "rw_port_", PortType::read_write,
            std::min(bandwidths.read_granularity, bandwidths.write_granularity),
            std::min(bandwidths.read, bandwidths.write));
  return ports;
}

/// The ports of a memory in the format of ZigZag 3.1 to 3.8.1: `r_bw`, `w_bw`, their granularities, the
/// counts of ports, and `ports`, a list parallel to the memory's operands of maps from direction to port
/// name.
std::vector<Port> read_legacy_ports(yaml::MapReader& map, const std::vector<std::string>& operands,
                                    const yaml::Node& memory, Diagnostics& diagnostics) {
  std::vector<Port> ports = declared_ports(map, memory, diagnostics);
  const yaml::Node* list = map.find("ports");
  if (list == nullptr || !yaml::expect_short_list(*list, map.what("ports"), diagnostics)) return ports;
  if (list->items.size() != operands.size()) {
    diagnostics.error(list->mark,
                      fmt::format("{} has {} items, but the memory has {} operands; with r_bw and w_bw, "
                                  "each operand has one item",
                                  map.what("ports"), list->items.size(), operands.size()));
    return ports;
  }
  const std::vector<std::string> known_codes(direction_codes.begin(), direction_codes.end());
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const yaml::Node& directions = list->items[i];
    const std::string what = fmt::format("the ports of {} in {}", operands[i], map.what());
    if (!yaml::expect_short_map(directions, what, diagnostics)) continue;
    for (std::size_t j = 0; j < directions.entries.size(); ++j) {
      const auto& [code, name] = directions.entries[j];
      const auto direction = parse_direction(code);
      if (!direction) {
        diagnostics.error(directions.key_marks[j], fmt::format("unknown direction '{}' in {}", code, what),
                          suggestion(code, known_codes));
        continue;
      }
      if (name.is_null()) continue;
      std::string text;
      if (!yaml::read(name, fmt::format("'{}' in {}", code, what), text, diagnostics)) continue;
      const auto port = std::find(names.begin(), names.end(), text);
      if (port == names.end()) {
        diagnostics.error(name.mark,
                          fmt::format("{} name the port '{}', which is not among those counted by r_port, "
                                      "w_port and rw_port",
                                      what, text),
                          suggestion(text, names));
        continue;
      }
      ports[static_cast<std::size_t>(port - names.begin())].allocation.push_back({operands[i], *direction});
    }
  }
  for (const Port& port : ports)
    if (port.allocation.empty())
      diagnostics.warning(list->mark,
                          fmt::format("port '{}' of {} carries nothing", port.name, map.what()));
  return ports;
}

/// A number that is larger than any that is counted, in whatever spelling: 10000000000000000, 1e16, .inf.
bool is_beyond_counting(const yaml::Node& node) {
  if (const auto whole = node.as_int()) return *whole > largest_number;
  if (!node.is_scalar() || node.quoted) return false;
  if (yaml::looks_like_int(node.text)) return !node.text.starts_with('-');
  const auto number = node.as_double() ? node.as_double() : number_of(node.text);
  return number && *number > static_cast<double>(largest_number);
}

/// Sizes beyond what is counted stand for memory without end, as the 10^16 bits of many DRAMs do.
void read_size(yaml::MapReader& map, std::int64_t& size, Diagnostics& diagnostics) {
  const yaml::Node* node = map.find("size");
  if (node == nullptr) return;
  if (!is_beyond_counting(*node)) {
    yaml::read(*node, map.what("size"), size, diagnostics);
    return;
  }
  size = largest_number;
  diagnostics.warning(node->mark, fmt::format("{} is {} bits, which is as good as no limit: {} are counted",
                                              map.what("size"), node->text, largest_number));
}

void read_costs(yaml::MapReader& map, bool extract_costs, Memory& memory, Diagnostics& diagnostics) {
  const auto take = [&](const char* key, double& target) {
    target = open_cost;
    if (const yaml::Node* value = map.find(key)) read_cost(*value, map.what(key), target, diagnostics);
  };
  take("r_cost", memory.read_cost);
  take("w_cost", memory.write_cost);
  take("area", memory.area);
  // As in ZigZag, it counts more than costs that stand beside it.
  if (extract_costs) memory.read_cost = memory.write_cost = memory.area = open_cost;
}

}  // namespace

bool has_legacy_ports(const yaml::Node& memory) {
  return memory.find("r_bw") != nullptr || memory.find("w_bw") != nullptr;
}

Memory read_memory(const std::string& name, const yaml::Node& node, bool costs_are_open,
                   Diagnostics& diagnostics) {
  Memory memory;
  memory.name = name;
  const std::string what = fmt::format("memory '{}'", name);
  const yaml::Node* extract = node.find("auto_cost_extraction");
  const bool extract_costs = extract != nullptr && extract->as_bool() == true;
  yaml::MapReader map(node, what, memory_keys(costs_are_open || extract_costs, has_legacy_ports(node)),
                      diagnostics);
  if (!node.is_map()) return memory;
  read_size(map, memory.size, diagnostics);
  map.find("latency", memory.latency);
  map.find("mem_type", memory.memory_type);
  map.find("operands", memory.operands);
  map.find("served_dimensions", memory.served_dimensions);
  map.find("force_double_buffering", memory.force_double_buffering);
  map.find("tile_interval", memory.tile_interval);
  map.find("shared_tiles", memory.shared_tiles);
  map.find("shared_with", memory.shared_with);
  map.find("moves_to", memory.moves_to);
  if (const yaml::Node* format = map.find("format"))
    memory.formats = read_formats(*format, map.what("format"), diagnostics);
  map.find("format_quantile", memory.format_quantile);
  bool truth = false;
  map.find("auto_cost_extraction", truth);
  read_costs(map, extract_costs, memory, diagnostics);
  if (has_legacy_ports(node)) {
    memory.ports = read_legacy_ports(map, memory.operands, node, diagnostics);
  } else if (const yaml::Node* ports = map.find("ports");
             ports != nullptr && yaml::expect_short_list(*ports, map.what("ports"), diagnostics)) {
    for (const yaml::Node& port : ports->items) memory.ports.push_back(read_port(port, what, diagnostics));
  }
  map.finish();
  return memory;
}

}  // namespace zz::core
