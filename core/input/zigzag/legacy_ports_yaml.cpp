#include "core/input/zigzag/legacy_ports_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/diagnostics/nearest_name.hpp"
#include "core/input/zigzag/port_yaml.hpp"

namespace zz::core {
namespace {

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

/// Stream 0.0.8 takes a granularity beyond the bandwidth as it is: transfers are padded to it, and cost as
/// many accesses of the bandwidth's bits as that takes.
void warn_about_padding(const yaml::MapReader& map, const yaml::Node& memory, const char* granularity_key,
                        std::int64_t granularity, const char* bandwidth_key, std::int64_t bandwidth,
                        Diagnostics& diagnostics) {
  if (bandwidth < 1 || granularity <= bandwidth) return;
  diagnostics.warning(
      memory.find(granularity_key)->mark,
      fmt::format("{} is {}, more than {}, which is {}; every transfer is padded to "
                  "multiples of {} bits and costs {:.4g} accesses or more, as in Stream 0.0.8",
                  map.what(granularity_key), granularity, bandwidth_key, bandwidth, granularity,
                  static_cast<double>(granularity) / static_cast<double>(bandwidth)));
}

std::vector<Port> declared_ports(yaml::MapReader& map, const yaml::Node& memory, Diagnostics& diagnostics) {
  constexpr std::int64_t most_ports = 64;
  Bandwidths bandwidths;
  map.required("r_bw", bandwidths.read);
  map.required("w_bw", bandwidths.write);
  bandwidths.read_granularity = bandwidths.read;
  bandwidths.write_granularity = bandwidths.write;
  map.nullable("min_r_granularity", bandwidths.read_granularity);
  map.nullable("min_w_granularity", bandwidths.write_granularity);
  warn_about_padding(map, memory, "min_r_granularity", bandwidths.read_granularity, "r_bw", bandwidths.read,
                     diagnostics);
  warn_about_padding(map, memory, "min_w_granularity", bandwidths.write_granularity, "w_bw",
                     bandwidths.write, diagnostics);
  std::int64_t counts[3] = {};
  const char* const keys[3] = {"r_port", "w_port", "rw_port"};
  for (int i = 0; i < 3; ++i) {
    if (!map.required(keys[i], counts[i]) || (counts[i] >= 0 && counts[i] <= most_ports)) continue;
    diagnostics.error(memory.find(keys[i])->mark, fmt::format("{} is {}; it must be from 0 to {}",
                                                              map.what(keys[i]), counts[i], most_ports));
    counts[i] = 0;
  }

  std::vector<Port> ports;
  add_ports(ports, counts[0], "r_port_", PortType::read, bandwidths.read_granularity, bandwidths.read);
  add_ports(ports, counts[1], "w_port_", PortType::write, bandwidths.write_granularity, bandwidths.write);
  if (counts[2] > 0 && (bandwidths.read != bandwidths.write ||
                        bandwidths.read_granularity != bandwidths.write_granularity)) {
    diagnostics.warning(memory.mark,
                        fmt::format("{} has ports for both reading and writing, but other bandwidths for "
                                    "the one than for the other; the smaller one counts for both",
                                    map.what()));
  }
  add_ports(ports, counts[2], "rw_port_", PortType::read_write,
            std::min(bandwidths.read_granularity, bandwidths.write_granularity),
            std::min(bandwidths.read, bandwidths.write));
  return ports;
}

}  // namespace

bool has_legacy_ports(const yaml::Node& memory) {
  return memory.find("r_bw") != nullptr || memory.find("w_bw") != nullptr;
}

std::vector<Port> read_legacy_ports(yaml::MapReader& map, const std::vector<std::string>& operands,
                                    const yaml::Node& memory, Diagnostics& diagnostics) {
  std::vector<Port> ports = declared_ports(map, memory, diagnostics);
  const yaml::Node* list = map.required("ports");
  if (list == nullptr || !yaml::expect_list(*list, map.what("ports"), diagnostics)) return ports;
  if (list->items.size() != operands.size()) {
    diagnostics.error(list->mark,
                      fmt::format("{} has {} items, but the memory has {} operands; with r_bw and w_bw, "
                                  "each operand has one item",
                                  map.what("ports"), list->items.size(), operands.size()));
    return ports;
  }
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const yaml::Node& directions = list->items[i];
    const std::string what = fmt::format("the ports of {} in {}", operands[i], map.what());
    if (!yaml::expect_map(directions, what, diagnostics)) continue;
    for (std::size_t j = 0; j < directions.entries.size(); ++j) {
      const auto& [code, name] = directions.entries[j];
      const auto direction = parse_direction(code);
      if (!direction) {
        diagnostics.error(directions.key_marks[j], fmt::format("unknown direction '{}' in {}", code, what),
                          suggestion(code, direction_code_names()));
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
  return ports;
}

}  // namespace zz::core
