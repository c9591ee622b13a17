#include "core/output/vega/mapping_figures.hpp"

#include <algorithm>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

#include "core/output/loop_nest.hpp"
#include "core/output/size_text.hpp"
#include "core/output/vega/hierarchy_picture.hpp"

namespace zz::core {
namespace {

void add_operands(FigureTable& table, const ResultList& results) {
  table.row().add("operand", "MAC");
  for (const std::string& operand : layer_operands(results)) table.row().add("operand", operand);
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

void add_hierarchy(FigureTables& tables, const ResultList& results, const Accelerator& accelerator,
                   const std::vector<std::string>& users) {
  const HierarchyPicture picture = hierarchy_picture(accelerator);
  const std::size_t index = tables["accelerators"].row_count;
  tables["accelerators"]
      .row()
      .add("accelerator", index)
      .add("name", accelerator.name)
      .add("results", users)
      .add("array", array_text(accelerator.array))
      .add("rows", picture.rows)
      .add("columns", picture.columns.size());
  for (const MemoryBox& box : picture.boxes) {
    const Memory& memory = accelerator.memories[box.memory];
    tables["memories"]
        .row()
        .add("accelerator", index)
        .add("name", memory.name)
        .add("operands", fmt::format("{}", fmt::join(memory.operands, ", ")))
        .add("instances", accelerator.instances(memory))
        .add("size", size_text(memory.size))
        .add("bits", memory.size)
        .add("read_cost", memory.read_cost)
        .add("write_cost", memory.write_cost)
        .add("row", box.row)
        .add("first_column", box.first_column)
        .add("last_column", box.last_column);
  }
  for (const MemoryWire& wire : picture.wires) {
    const std::string& memory_operand = picture.columns[wire.column];
    const std::string operand = linked_operand(results, memory_operand);
    tables["wires"]
        .row()
        .add("accelerator", index)
        .add("column", wire.column)
        .add("operand", operand)
        .add("label", operand.empty() || operand == memory_operand
                          ? memory_operand
                          : fmt::format("{} ({})", memory_operand, operand))
        .add("lower_row", wire.lower_row)
        .add("upper_row", wire.upper_row)
        .add("down", wire.bits_down)
        .add("up", wire.bits_up);
  }
}

void add_cells(FigureTable& cells, std::size_t result, std::size_t column, const NestOperand& operand) {
  const int levels =
      operand.level.empty() ? 0 : *std::max_element(operand.level.begin(), operand.level.end());
  for (std::size_t first = 0; first < operand.memory.size();) {
    std::size_t next = first;
    while (next < operand.memory.size() && operand.level[next] == operand.level[first]) ++next;
    cells.row()
        .add("result", result)
        .add("column", column)
        .add("operand", operand.operand)
        .add("first", first)
        .add("last", next - 1)
        .add("memory", operand.memory[first])
        .add("level", operand.level[first])
        .add("levels", levels + 1);
    first = next;
  }
}

template <class Loop>
void add_loop(FigureTable& loops, std::size_t result, std::size_t depth, std::size_t indent, bool spatial,
              const Loop& loop, TextBuffer& text) {
  text.clear();
  append_text(loop, text);
  loops.row()
      .add("result", result)
      .add("depth", depth)
      .add("indent", indent)
      .add("spatial", spatial)
      .add("text", text.view());
}

void add_nest(FigureTables& tables, std::size_t result, const LoopNest& nest) {
  FigureTable &loops = tables["loops"], &columns = tables["columns"], &cells = tables["cells"];
  TextBuffer text;
  std::size_t depth = 0;
  for (const TemporalLoop& loop : nest.temporal) {
    add_loop(loops, result, depth, depth, false, loop, text);
    ++depth;
  }
  for (const UnrolledLoop& loop : nest.spatial)
    add_loop(loops, result, depth++, nest.temporal.size(), true, loop, text);
  for (std::size_t column = 0; column < nest.operands.size(); ++column) {
    columns.row().add("result", result).add("column", column).add("operand", nest.operands[column].operand);
    add_cells(cells, result, column, nest.operands[column]);
  }
}

std::string loop_sizes(const Layer& layer) {
  std::string text;
  for (const LoopDimension& loop : layer.loops)
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}{} {}"), text.empty() ? "" : ", ", loop.name,
                   loop.size);
  return text;
}

}  // namespace

FigureTables hierarchy_tables(const ResultList& results) {
  FigureTables tables{"accelerators", "memories", "wires", "operands"};
  add_operands(tables["operands"], results);
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

FigureTables loop_nest_tables(const ResultList& results) {
  FigureTables tables{"results", "loops", "columns", "cells", "operands"};
  add_operands(tables["operands"], results);
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Evaluation& one = *results[i];
    if (!one.layer) continue;
    tables["results"]
        .row()
        .add("result", i)
        .add("label", names[i])
        .add("equation", one.layer->equation)
        .add("loops", loop_sizes(*one.layer))
        .add("energy", one.energy_total)
        .add("cycles", one.latency_total2)
        .add("utilization", one.mac_utilization2());
    add_nest(tables, i, loop_nest(one));
  }
  return tables;
}

}  // namespace zz::core
