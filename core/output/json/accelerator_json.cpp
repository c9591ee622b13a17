#include "core/output/json/accelerator_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

#include "core/compat/python_set_order.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/output/json/mapping_json.hpp"

namespace zz::core {
namespace {

std::string memory_text(const Memory& memory) {
  const auto served = python_set_order(memory.served_dimensions, NameClass::array_dimension);
  return fmt::format(
      "MemoryLevel(instance={},operands=[{}], served_dimensions={})", memory.name,
      fmt::join(memory.operands, ", "),
      served.empty() ? std::string("set()") : fmt::format("{{{}}}", fmt::join(served, ", ")));
}

void write_array(JsonWriter& json, const OperationalArray& array) {
  const auto write_dimensions = [&] {
    for (const ArrayDimension& dimension : array.dimensions) json.entry(dimension.name, dimension.size);
  };
  json.map([&] {
    if (array.imc) {
      json.map_entry("operational_unit: ImcArray, dimensions", write_dimensions);
      return;
    }
    json.map_entry("operational_unit", [&] {
      json.entry("energy_cost", array.unit_energy);
      json.entry("area", array.unit_area);
    });
    json.map_entry("dimensions", write_dimensions);
  });
}

/// A map from memory operand to a list with what `part` gives for each of its memories.
template <class Part>
void write_per_operand(JsonWriter& json, const MemoryHierarchy& hierarchy, Part part) {
  json.map([&] {
    for (std::size_t operand = 0; operand < hierarchy.operands.size(); ++operand) {
      json.list_entry(hierarchy.operands[operand], [&] {
        for (const int memory : hierarchy.levels[operand]) json.value(part(memory));
      });
    }
  });
}

void write_sharing(JsonWriter& json, const MemoryHierarchy& hierarchy) {
  json.list([&] {
    for (const auto& shared : hierarchy.shared) {
      json.map([&] {
        for (const auto& [operand, level] : shared) json.entry(hierarchy.operands[operand], level);
      });
    }
  });
}

}  // namespace

void write_accelerator(JsonWriter& json, const Accelerator& accelerator) {
  const MemoryHierarchy& hierarchy = accelerator.hierarchy();
  std::vector<std::string> memories;
  for (const Memory& memory : accelerator.memories) memories.push_back(memory_text(memory));
  json.map([&] {
    json.entry("id", 1);
    json.entry("name", accelerator.name);
    json.key("operational_array");
    write_array(json, accelerator.array);
    json.list_entry("memory_hierarchy", [&] {
      for (const std::string& memory : memories) json.value(memory);
    });
    json.key("mem_hierarchy_dict");
    write_per_operand(json, hierarchy, [&](int memory) -> const std::string& { return memories[memory]; });
    json.key("dataflows");
    if (accelerator.dataflows.dimensions.empty())
      json.null();
    else
      write_unrolling(json, accelerator.dataflows);
    json.key("mem_size_dict");
    write_per_operand(json, hierarchy, [&](int memory) { return accelerator.memories[memory].size; });
    // Always empty in ZigZag's files; kept for programs that read them.
    for (const char* key : {"mem_r_bw_dict", "mem_w_bw_dict", "mem_r_bw_min_dict", "mem_w_bw_min_dict"})
      json.map_entry(key, [] {});
    json.key("mem_sharing_list");
    write_sharing(json, hierarchy);
  });
}

}  // namespace zz::core
