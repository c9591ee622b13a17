#include "plugins/pictures/result_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/output/loop_nest.hpp"
#include "plugins/pictures/hierarchy_picture.hpp"

namespace zz::plugins {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* arithmetic = "MAC";

VegaTables empty_tables(std::initializer_list<const char*> names) {
  VegaTables tables;
  for (const char* name : names) tables[name] = Json::array();
  return tables;
}

Json operand_rows(const ResultList& results) {
  Json rows = {{{"operand", arithmetic}}};
  for (const std::string& operand : layer_operands(results)) rows.push_back({{"operand", operand}});
  return rows;
}

struct Bar {
  std::string name;
  std::int64_t bits = 0;
};

/// Sums over different accelerators know levels, not memories.
std::string bar_name(const core::LevelCost& cost, std::size_t level) {
  return cost.memory.empty() ? "level " + std::to_string(level) : cost.memory;
}

std::int64_t size_of(const core::Evaluation& evaluation, const std::string& memory) {
  if (evaluation.accelerator)
    for (const core::Memory& one : evaluation.accelerator->memories)
      if (one.name == memory) return one.size;
  return 0;
}

/// The memories that the results name, by size; those of one size in the order of their appearance.
std::vector<Bar> memory_bars(const ResultList& results) {
  std::vector<Bar> bars;
  for (const auto& result : results)
    for (const core::OperandCost& operand : result->operands)
      for (std::size_t level = 0; level < operand.levels.size(); ++level) {
        const std::string name = bar_name(operand.levels[level], level);
        if (std::none_of(bars.begin(), bars.end(), [&](const Bar& bar) { return bar.name == name; }))
          bars.push_back({name, size_of(*result, name)});
      }
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.bits < b.bits; });
  return bars;
}

/// Energy of one direction of an operand at a memory that is spent on what is stored beside the data.
double energy_beside_data(const core::Evaluation& evaluation, const std::string& memory,
                          const std::string& operand, const char* direction, const char* beside) {
  double energy = 0;
  for (const core::EnergyPart& part : evaluation.energy_parts)
    if (part.because == beside && part.memory == memory && part.operand == operand &&
        part.direction == direction)
      energy += part.pJ;
  return energy;
}

void add_energy(Json& rows, std::size_t result, const core::Evaluation& evaluation) {
  const auto add = [&](const Json& bar, const Json& operand, const Json& direction, double energy,
                       const std::string& beside = "") {
    if (energy == 0) return;
    rows.push_back({{"result", result},
                    {"bar", bar},
                    {"operand", operand},
                    {"direction", direction},
                    {"energy", energy}});
    if (!beside.empty()) rows.back()["beside"] = beside;
  };
  add(arithmetic, arithmetic, nullptr, evaluation.mac_energy);
  for (const core::OperandCost& operand : evaluation.operands)
    for (std::size_t level = 0; level < operand.levels.size(); ++level) {
      const core::LevelCost& cost = operand.levels[level];
      for (int direction = 0; direction < core::direction_count; ++direction) {
        const char* const name = core::direction_names[direction];
        double data = cost.energy_by_direction[direction];
        std::vector<std::pair<const char*, double>> stored_beside;
        for (const char* const beside : {"scales", "metadata"}) {
          const double energy = energy_beside_data(evaluation, cost.memory, operand.operand, name, beside);
          data -= energy;
          stored_beside.emplace_back(beside, energy);
        }
        add(bar_name(cost, level), operand.operand, name, data);
        for (const auto& [beside, energy] : stored_beside)
          add(bar_name(cost, level), operand.operand, name, energy, beside);
      }
    }
}

std::string array_text(const core::OperationalArray& array) {
  std::string text;
  for (const core::ArrayDimension& dimension : array.dimensions)
    text += fmt::format("{}{} {}", text.empty() ? "" : " × ", dimension.name, dimension.size);
  return text.empty() ? "1 unit" : fmt::format("{} = {} units", text, array.unit_count());
}

/// The layer operand that the first layer of the results assigns to a memory operand, or "".
std::string assigned_operand(const ResultList& results, const std::string& memory_operand) {
  for (const auto& result : results) {
    if (!result->layer) continue;
    for (const core::OperandAssignment& one : result->layer->mapping.memory_operands)
      if (one.memory_operand == memory_operand) return one.layer_operand;
  }
  return "";
}

void add_hierarchy(VegaTables& tables, const ResultList& results, const core::Accelerator& accelerator,
                   const std::vector<std::string>& users) {
  const HierarchyPicture picture = hierarchy_picture(accelerator);
  const std::size_t index = tables["accelerators"].size();
  tables["accelerators"].push_back({{"accelerator", index},
                                    {"name", accelerator.name},
                                    {"results", users},
                                    {"array", array_text(accelerator.array)},
                                    {"rows", picture.rows},
                                    {"columns", picture.columns.size()}});
  for (const MemoryBox& box : picture.boxes) {
    const core::Memory& memory = accelerator.memories[box.memory];
    tables["memories"].push_back({{"accelerator", index},
                                  {"name", memory.name},
                                  {"operands", fmt::format("{}", fmt::join(memory.operands, ", "))},
                                  {"instances", accelerator.instances(memory)},
                                  {"size", size_text(memory.size)},
                                  {"bits", memory.size},
                                  {"read_cost", memory.read_cost},
                                  {"write_cost", memory.write_cost},
                                  {"row", box.row},
                                  {"first_column", box.first_column},
                                  {"last_column", box.last_column}});
  }
  for (const MemoryWire& wire : picture.wires) {
    const std::string& memory_operand = picture.columns[wire.column];
    const std::string operand = assigned_operand(results, memory_operand);
    const bool same = operand.empty() || operand == memory_operand;
    tables["wires"].push_back(
        {{"accelerator", index},
         {"column", wire.column},
         {"operand", operand},
         {"label", same ? memory_operand : fmt::format("{} ({})", memory_operand, operand)},
         {"lower_row", wire.lower_row},
         {"upper_row", wire.upper_row},
         {"down", wire.bits_down},
         {"up", wire.bits_up}});
  }
}

void add_cells(Json& rows, std::size_t result, std::size_t column, const core::NestOperand& operand) {
  const int levels =
      operand.level.empty() ? 0 : *std::max_element(operand.level.begin(), operand.level.end());
  for (std::size_t first = 0; first < operand.memory.size();) {
    std::size_t next = first;
    while (next < operand.memory.size() && operand.level[next] == operand.level[first]) ++next;
    rows.push_back({{"result", result},
                    {"column", column},
                    {"operand", operand.operand},
                    {"first", first},
                    {"last", next - 1},
                    {"memory", operand.memory[first]},
                    {"level", operand.level[first]},
                    {"levels", levels + 1}});
    first = next;
  }
}

void add_nest(VegaTables& tables, std::size_t result, const core::LoopNest& nest) {
  std::size_t depth = 0;
  const auto add_loop = [&](std::size_t indent, bool spatial, const std::string& text) {
    tables["loops"].push_back(
        {{"result", result}, {"depth", depth++}, {"indent", indent}, {"spatial", spatial}, {"text", text}});
  };
  for (std::size_t loop = 0; loop < nest.temporal.size(); ++loop)
    add_loop(loop, false, core::loop_text(nest, loop));
  for (const core::UnrolledLoop& loop : nest.spatial)
    add_loop(nest.temporal.size(), true, core::loop_text(loop));
  for (std::size_t column = 0; column < nest.operands.size(); ++column) {
    tables["columns"].push_back(
        {{"result", result}, {"column", column}, {"operand", nest.operands[column].operand}});
    add_cells(tables["cells"], result, column, nest.operands[column]);
  }
}

std::string loop_sizes(const core::Layer& layer) {
  std::string text;
  for (const core::LoopDimension& loop : layer.loops)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loop.name, loop.size);
  return text;
}

/// Ends of the range of filled costs, where there are some.
void add_range(Json& row, const core::Evaluation& evaluation) {
  const auto range = core::energy_range(evaluation);
  if (!range) return;
  row["energy_low"] = range->low;
  row["energy_high"] = range->high;
}

}  // namespace

VegaTables energy_tables(const ResultList& results) {
  VegaTables tables = empty_tables({"results", "bars", "operands", "energy"});
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    tables["results"].push_back({{"result", i}, {"label", names[i]}, {"energy", results[i]->energy_total}});
    add_range(tables["results"].back(), *results[i]);
    add_energy(tables["energy"], i, *results[i]);
  }
  tables["bars"].push_back({{"bar", arithmetic}, {"size", ""}, {"bits", 0}});
  for (const Bar& bar : memory_bars(results))
    tables["bars"].push_back(
        {{"bar", bar.name}, {"size", bar.bits > 0 ? size_text(bar.bits) : ""}, {"bits", bar.bits}});
  tables["operands"] = operand_rows(results);
  return tables;
}

namespace {

/// Layers that differ in nothing that a picture of energies shows.
struct EqualLayers {
  std::size_t first;  ///< of the results
  std::size_t count = 1;
};

/// Entries of the mapping file with other names may prescribe the same.
core::Layer without_entry(core::Layer layer) {
  layer.mapping.name.clear();
  return layer;
}

/// None where a layer has several results: they are of a sweep, or of several mappings.
std::vector<EqualLayers> equal_layers(const ResultList& results) {
  std::vector<EqualLayers> kinds;
  std::set<std::int64_t> ids;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const core::Evaluation& own = *results[i];
    if (own.layer == nullptr) continue;
    if (!ids.insert(own.layer->id).second) return {};
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const EqualLayers& kind) {
      const core::Evaluation& other = *results[kind.first];
      return other.energy_total == own.energy_total && other.latency_total2 == own.latency_total2 &&
             core::same_work(without_entry(*other.layer), without_entry(*own.layer));
    });
    if (same == kinds.end())
      kinds.push_back({i});
    else
      ++same->count;
  }
  return kinds;
}

}  // namespace

VegaTables network_energy_tables(const ResultList& results) {
  VegaTables tables = empty_tables({"kinds", "operands", "energy"});
  std::vector<EqualLayers> kinds = equal_layers(results);
  const auto energy_of = [&](const EqualLayers& kind) {
    return static_cast<double>(kind.count) * results[kind.first]->energy_total;
  };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const EqualLayers& a, const EqualLayers& b) { return energy_of(a) > energy_of(b); });
  double all = 0;
  std::size_t layers = 0;
  for (const EqualLayers& kind : kinds) {
    all += energy_of(kind);
    layers += kind.count;
  }
  if (layers < 2) return tables;
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const EqualLayers& kind = kinds[i];
    const std::string count = kind.count > 1 ? fmt::format(" (x {})", kind.count) : "";
    tables["kinds"].push_back({{"kind", i},
                               {"label", names[kind.first] + count},
                               {"energy", energy_of(kind)},
                               {"share", all > 0 ? energy_of(kind) / all : 0}});
    Json rows = Json::array();
    add_energy(rows, i, *results[kind.first]);
    for (Json& row : rows) {
      row["kind"] = i;
      row.erase("result");
      row["energy"] = static_cast<double>(kind.count) * row["energy"].get<double>();
      tables["energy"].push_back(std::move(row));
    }
  }
  tables["operands"] = operand_rows(results);
  return tables;
}

VegaTables hierarchy_tables(const ResultList& results) {
  VegaTables tables = empty_tables({"accelerators", "memories", "wires", "operands"});
  tables["operands"] = operand_rows(results);
  const std::vector<std::string> names = result_names(results);
  std::vector<std::pair<const core::Accelerator*, std::vector<std::string>>> found;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const core::Accelerator* accelerator = results[i]->accelerator.get();
    if (accelerator == nullptr) continue;
    auto known = std::find_if(found.begin(), found.end(), [&](const auto& one) {
      return one.first == accelerator || *one.first == *accelerator;
    });
    if (known == found.end()) known = found.insert(found.end(), {accelerator, {}});
    known->second.push_back(names[i]);
  }
  for (const auto& [accelerator, users] : found) add_hierarchy(tables, results, *accelerator, users);
  return tables;
}

VegaTables loop_nest_tables(const ResultList& results) {
  VegaTables tables = empty_tables({"results", "loops", "columns", "cells", "operands"});
  tables["operands"] = operand_rows(results);
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const core::Evaluation& one = *results[i];
    if (!one.layer) continue;
    tables["results"].push_back({{"result", i},
                                 {"label", names[i]},
                                 {"equation", one.layer->equation},
                                 {"loops", loop_sizes(*one.layer)},
                                 {"energy", one.energy_total},
                                 {"cycles", one.latency_total2},
                                 {"utilization", one.mac_utilization2()}});
    add_range(tables["results"].back(), one);
    add_nest(tables, i, core::loop_nest(one));
  }
  return tables;
}

}  // namespace zz::plugins
