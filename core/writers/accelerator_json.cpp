#include "core/writers/accelerator_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/hardware/memory_hierarchy.hpp"
#include "core/mapping/set_order.hpp"
#include "core/writers/mapping_json.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

std::string memory_text(const Memory& memory) {
  const auto served = set_order(memory.served_dimensions, NameClass::array_dimension);
  return fmt::format(
      "MemoryLevel(instance={},operands=[{}], served_dimensions={})", memory.name,
      fmt::join(memory.operands, ", "),
      served.empty() ? std::string("set()") : fmt::format("{{{}}}", fmt::join(served, ", ")));
}

Json array_json(const OperationalArray& array) {
  Json dimensions = Json::object();
  for (const ArrayDimension& dimension : array.dimensions) dimensions[dimension.name] = dimension.size;
  Json tree;
  if (array.imc) {
    tree["operational_unit: ImcArray, dimensions"] = std::move(dimensions);
    return tree;
  }
  Json& unit = tree["operational_unit"];
  unit["energy_cost"] = array.unit_energy;
  unit["area"] = array.unit_area;
  tree["dimensions"] = std::move(dimensions);
  return tree;
}

/// A map from memory operand to a list with what `part` gives for each of its memories.
template <class Part>
Json per_operand(const Accelerator& accelerator, const MemoryHierarchy& hierarchy, Part part) {
  Json map = Json::object();
  for (std::size_t operand = 0; operand < hierarchy.operands.size(); ++operand) {
    Json& levels = map[hierarchy.operands[operand]] = Json::array();
    for (int memory : hierarchy.levels[operand]) levels.push_back(part(accelerator.memories[memory]));
  }
  return map;
}

Json sharing_json(const MemoryHierarchy& hierarchy) {
  Json list = Json::array();
  for (const auto& shared : hierarchy.shared) {
    Json entry = Json::object();
    for (const auto& [operand, level] : shared) entry[hierarchy.operands[operand]] = level;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

Json accelerator_json(const Accelerator& accelerator) {
  const MemoryHierarchy hierarchy(accelerator);
  Json tree;
  tree["id"] = 1;
  tree["name"] = accelerator.name;
  tree["operational_array"] = array_json(accelerator.array);
  Json& memories = tree["memory_hierarchy"] = Json::array();
  for (const Memory& memory : accelerator.memories) memories.push_back(memory_text(memory));
  tree["mem_hierarchy_dict"] = per_operand(accelerator, hierarchy, memory_text);
  tree["dataflows"] =
      accelerator.dataflows.dimensions.empty() ? Json() : unrolling_json(accelerator.dataflows);
  tree["mem_size_dict"] =
      per_operand(accelerator, hierarchy, [](const Memory& memory) { return memory.size; });
  // Always empty in ZigZag's files; kept for programs that read them.
  for (const char* key : {"mem_r_bw_dict", "mem_w_bw_dict", "mem_r_bw_min_dict", "mem_w_bw_min_dict"})
    tree[key] = Json::object();
  tree["mem_sharing_list"] = sharing_json(hierarchy);
  return tree;
}

}  // namespace zz::core
