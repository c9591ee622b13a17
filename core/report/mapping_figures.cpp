#include "core/report/mapping_figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/report/hierarchy_picture.hpp"
#include "core/report/loop_nest.hpp"
#include "core/report/size_text.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

Json operand_rows(const ResultList& results) {
  Json rows = Json::array();
  rows.push_back({{"operand", "MAC"}});
  for (const std::string& operand : layer_operands(results)) rows.push_back({{"operand", operand}});
  return rows;
}

std::string array_text(const OperationalArray& array) {
  std::string text;
  for (const ArrayDimension& dimension : array.dimensions)
    text += fmt::format("{}{} {}", text.empty() ? "" : " × ", dimension.name, dimension.size);
  return text.empty() ? "1 unit" : fmt::format("{} = {} units", text, array.unit_count());
}

/// The layer operand that the first layer of the results links to a memory operand, or "".
std::string linked_operand(const ResultList& results, const std::string& memory_operand) {
  for (const auto& result : results) {
    if (!result->layer) continue;
    for (const MemoryOperandLink& link : result->layer->mapping.links)
      if (link.memory_operand == memory_operand) return link.layer_operand;
  }
  return "";
}

void add_hierarchy(Json& tables, const ResultList& results, const Accelerator& accelerator,
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
    const Memory& memory = accelerator.memories[box.memory];
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
    const std::string operand = linked_operand(results, memory_operand);
    tables["wires"].push_back({{"accelerator", index},
                               {"column", wire.column},
                               {"operand", operand},
                               {"label", operand.empty() || operand == memory_operand
                                             ? memory_operand
                                             : fmt::format("{} ({})", memory_operand, operand)},
                               {"lower_row", wire.lower_row},
                               {"upper_row", wire.upper_row},
                               {"down", wire.bits_down},
                               {"up", wire.bits_up}});
  }
}

void add_cells(Json& cells, std::size_t result, std::size_t column, const NestOperand& operand) {
  const int levels =
      operand.level.empty() ? 0 : *std::max_element(operand.level.begin(), operand.level.end());
  for (std::size_t first = 0; first < operand.memory.size();) {
    std::size_t next = first;
    while (next < operand.memory.size() && operand.level[next] == operand.level[first]) ++next;
    cells.push_back({{"result", result},
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

void add_nest(Json& tables, std::size_t result, const LoopNest& nest) {
  std::size_t depth = 0;
  for (const TemporalLoop& loop : nest.temporal) {
    tables["loops"].push_back({{"result", result},
                               {"depth", depth},
                               {"indent", depth},
                               {"spatial", false},
                               {"text", fmt::format("for {} in [0, {})", loop.dimension, loop.size)}});
    ++depth;
  }
  for (const UnrolledLoop& loop : nest.spatial)
    tables["loops"].push_back({{"result", result},
                               {"depth", depth++},
                               {"indent", nest.temporal.size()},
                               {"spatial", true},
                               {"text", fmt::format("parfor {} in [0, {})", loop.dimension, loop.factor)}});
  for (std::size_t column = 0; column < nest.operands.size(); ++column) {
    tables["columns"].push_back(
        {{"result", result}, {"column", column}, {"operand", nest.operands[column].operand}});
    add_cells(tables["cells"], result, column, nest.operands[column]);
  }
}

std::string loop_sizes(const Layer& layer) {
  std::string text;
  for (const LoopDimension& loop : layer.loops)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", loop.name, loop.size);
  return text;
}

}  // namespace

Json hierarchy_tables(const ResultList& results) {
  Json tables = {{"accelerators", Json::array()},
                 {"memories", Json::array()},
                 {"wires", Json::array()},
                 {"operands", operand_rows(results)}};
  const std::vector<std::string> names = result_names(results);
  std::vector<std::pair<const Accelerator*, std::vector<std::string>>> found;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Accelerator* accelerator = results[i]->accelerator.get();
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

Json loop_nest_tables(const ResultList& results) {
  Json tables = {{"results", Json::array()},
                 {"loops", Json::array()},
                 {"columns", Json::array()},
                 {"cells", Json::array()},
                 {"operands", operand_rows(results)}};
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Evaluation& one = *results[i];
    if (!one.layer) continue;
    tables["results"].push_back({{"result", i},
                                 {"label", names[i]},
                                 {"equation", one.layer->equation},
                                 {"loops", loop_sizes(*one.layer)},
                                 {"energy", one.energy_total},
                                 {"cycles", one.latency_total2},
                                 {"utilization", one.mac_utilization2()}});
    add_nest(tables, i, loop_nest(one));
  }
  return tables;
}

}  // namespace zz::core
