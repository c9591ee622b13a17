#include "core/output/vega/cost_figures.hpp"

#include <algorithm>

#include "core/output/size_text.hpp"

namespace zz::core {
namespace {

constexpr const char* arithmetic = "MAC";

struct Bar {
  std::string name;
  std::int64_t bits = 0;
};

/// Sums over different accelerators know levels, not memories.
std::string bar_name(const LevelCost& cost, std::size_t level) {
  return cost.memory.empty() ? "level " + std::to_string(level) : cost.memory;
}

std::int64_t size_of(const Evaluation& evaluation, const std::string& memory) {
  if (evaluation.accelerator)
    for (const Memory& one : evaluation.accelerator->memories)
      if (one.name == memory) return one.size;
  return 0;
}

/// The memories that the results name, by size; those of one size in the order of their appearance.
std::vector<Bar> memory_bars(const ResultList& results) {
  std::vector<Bar> bars;
  for (const auto& result : results)
    for (const OperandCost& operand : result->operands)
      for (std::size_t level = 0; level < operand.levels.size(); ++level) {
        const std::string name = bar_name(operand.levels[level], level);
        if (std::none_of(bars.begin(), bars.end(), [&](const Bar& bar) { return bar.name == name; }))
          bars.push_back({name, size_of(*result, name)});
      }
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.bits < b.bits; });
  return bars;
}

void add_energy(FigureTable& table, std::size_t result, const Evaluation& evaluation) {
  if (evaluation.mac_energy != 0)
    table.row()
        .add("result", result)
        .add("bar", arithmetic)
        .add("operand", arithmetic)
        .add("direction", nullptr)
        .add("energy", evaluation.mac_energy);
  for (const OperandCost& operand : evaluation.operands)
    for (std::size_t level = 0; level < operand.levels.size(); ++level) {
      const LevelCost& cost = operand.levels[level];
      for (int direction = 0; direction < direction_count; ++direction) {
        const double energy = cost.energy_by_direction[direction];
        if (energy == 0) continue;
        table.row()
            .add("result", result)
            .add("bar", bar_name(cost, level))
            .add("operand", operand.operand)
            .add("direction", direction_names[direction])
            .add("energy", energy);
      }
    }
}

}  // namespace

FigureTables energy_tables(const ResultList& results) {
  FigureTables tables{"results", "bars", "operands", "energy"};
  FigureTable &bars = tables["bars"], &operands = tables["operands"];
  bars.row().add("bar", arithmetic).add("size", "").add("bits", 0);
  operands.row().add("operand", arithmetic);
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    tables["results"].row().add("result", i).add("label", names[i]).add("energy", results[i]->energy_total);
    add_energy(tables["energy"], i, *results[i]);
  }
  for (const Bar& bar : memory_bars(results))
    bars.row()
        .add("bar", bar.name)
        .add("size", bar.bits > 0 ? size_text(bar.bits) : "")
        .add("bits", bar.bits);
  for (const std::string& operand : layer_operands(results)) operands.row().add("operand", operand);
  return tables;
}

FigureTables latency_tables(const ResultList& results) {
  FigureTables tables{"results", "latency"};
  const std::vector<std::string> names = result_names(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Evaluation& one = *results[i];
    tables["results"]
        .row()
        .add("result", i)
        .add("label", names[i])
        .add("cycles", one.latency_total2)
        .add("utilization", one.mac_utilization2());
    const std::pair<const char*, double> parts[] = {
        {"ideal computation", one.ideal_cycle},
        {"spatial stall", one.ideal_temporal_cycle - one.ideal_cycle},
        {"temporal stall", one.latency_total0 - one.ideal_temporal_cycle},
        {"data loading", one.latency_total1 - one.latency_total0},
        {"data off-loading", one.latency_total2 - one.latency_total1}};
    for (const auto& [part, cycles] : parts)
      tables["latency"].row().add("result", i).add("part", part).add("cycles", cycles);
  }
  return tables;
}

}  // namespace zz::core
