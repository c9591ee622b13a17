#include "core/input/zigzag/memory_yaml.hpp"

#include <fmt/format.h>

#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/legacy_ports_yaml.hpp"
#include "core/input/zigzag/port_yaml.hpp"

namespace zz::core {
namespace {

void read_costs(yaml::MapReader& map, Memory& memory, const yaml::Node& node, Diagnostics& diagnostics) {
  bool extract_costs = false;
  map.optional("auto_cost_extraction", extract_costs);
  std::vector<std::string> absent;
  const auto read_cost = [&](const char* key, double& target) {
    const yaml::Node* value = map.nullable(key);
    if (value == nullptr) {
      absent.emplace_back(key);
    } else {
      yaml::read(*value, map.what(key), target, diagnostics);
    }
  };
  read_cost("r_cost", memory.read_cost);
  read_cost("w_cost", memory.write_cost);
  read_cost("area", memory.area);
  if (extract_costs) {
    diagnostics.error(
        node.find("auto_cost_extraction")->mark,
        fmt::format("{} asks for costs from CACTI (auto_cost_extraction), which is not available",
                    map.what()),
        "give r_cost, w_cost (pJ) and area, and leave auto_cost_extraction out");
    return;
  }
  for (const std::string& key : absent) {
    diagnostics.error(node.mark, fmt::format("the key '{}' is missing in {}", key, map.what()));
  }
}

}  // namespace

Memory read_memory(const std::string& name, const yaml::Node& node, Diagnostics& diagnostics) {
  Memory memory;
  memory.name = name;
  const std::string what = fmt::format("memory '{}'", name);
  yaml::MapReader map(node, what, diagnostics);
  if (!node.is_map()) return memory;
  map.required("size", memory.size);
  map.required("latency", memory.latency);
  map.optional("mem_type", memory.memory_type);
  map.required("operands", memory.operands);
  map.required("served_dimensions", memory.served_dimensions);
  map.optional("force_double_buffering", memory.force_double_buffering);
  read_costs(map, memory, node, diagnostics);
  if (has_legacy_ports(node)) {
    memory.ports = read_legacy_ports(map, memory.operands, node, diagnostics);
  } else if (const yaml::Node* ports = map.required("ports");
             ports != nullptr && yaml::expect_list(*ports, map.what("ports"), diagnostics)) {
    for (const yaml::Node& port : ports->items) memory.ports.push_back(read_port(port, what, diagnostics));
  }
  map.finish();
  return memory;
}

}  // namespace zz::core
