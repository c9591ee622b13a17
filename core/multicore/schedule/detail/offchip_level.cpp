#include "core/multicore/schedule/detail/offchip_level.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/cost/rounding.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {
namespace {

/// A name for another memory of the core: that of the off-chip memory, unless the core has one like it.
std::string free_name(const Accelerator& core, std::string name) {
  while (core.memory_index(name) >= 0) name += "_offchip";
  return name;
}

Memory copy_for(const Memory& memory, const std::vector<std::string>& operands, const Accelerator& core,
                const Rules& rules) {
  Memory copy = memory;
  copy.name = free_name(core, memory.name);
  copy.operands = operands;
  for (std::size_t port = 0; port < copy.ports.size(); ++port) {
    copy.ports[port].allocation.clear();
    for (const std::string& operand : operands)
      for (const PortAllocation& served : memory.ports[port].allocation)
        if (served.operand == operand) copy.ports[port].allocation.push_back(served);
  }
  copy.served_dimensions.clear();
  for (const ArrayDimension& dimension : core.array.dimensions)
    if (!rules.offchip_serves_named_dimensions || memory.serves(dimension.name))
      copy.served_dimensions.push_back(dimension.name);
  return copy;
}

void add_elements(const Evaluation& evaluation, const std::vector<int>& operands, const Rules& rules,
                  OffchipDemand& demand) {
  const CostModel model(evaluation.accelerator, evaluation.layer, evaluation.spatial_mapping,
                        evaluation.spatial_mapping_int, {.rules = rules});
  const CostTables& tables = model.tables();
  const CompactMapping mapping = model.compact(*evaluation.temporal_mapping);
  const std::int64_t total = all_steps(tables, mapping);
  for (const int operand : operands) {
    const int top = tables.operands[operand].levels - 1;
    const BoundaryCost cost = cost_of(tables, model.options(), mapping, operand, top);
    const DataFootprint data = footprint_of(tables, tables.fractional, mapping, operand, top);
    const Crossing moved = crossing(tables.operands[operand], data, top, true, total / cost.count, total);
    const double repeats = outer_iterations(tables, mapping, operand, top, Relevancy::irrelevant);
    // Whole elements per cycle while a transfer is repeated without a pause.
    const auto elements_per_cycle = [&](const LevelTransfer& transfer) {
      if (transfer.period == 0) return 0.0;
      const std::int64_t average = truncate(transfer.elements / static_cast<double>(transfer.period));
      return static_cast<double>(average) * repeats;
    };
    demand.read_elements += elements_per_cycle(moved.down);
    demand.write_elements += elements_per_cycle(moved.up);
  }
}

/// Bits that the port of the topmost memory moves in one direction.
double moved_bits(const Evaluation& evaluation, const Accelerator& accelerator,
                  const MemoryHierarchy& hierarchy, int memory_operand, int operand, Direction direction) {
  const int memory = hierarchy.levels[memory_operand].back();
  const int port = hierarchy.port_of[memory][memory_operand][static_cast<std::size_t>(direction)];
  if (port < 0) return 0;
  const LevelCost& top = evaluation.operands[operand].levels.back();
  return static_cast<double>(top.accesses[static_cast<std::size_t>(direction)]) *
         static_cast<double>(accelerator.memories[memory].ports[port].bandwidth_max);
}

}  // namespace

Accelerator with_offchip_level(const Accelerator& core, const Accelerator& offchip_core,
                               const std::vector<std::string>& memory_operands, const Rules& rules) {
  const MemoryHierarchy hierarchy(offchip_core);
  std::vector<std::vector<std::string>> held(offchip_core.memories.size());
  for (const std::string& operand : memory_operands) {
    const int index = hierarchy.operand_index(operand);
    if (index < 0) {
      throw InputError(fmt::format("no memory of the off-chip core '{}' holds {}, which has to stream",
                                   offchip_core.name, operand));
    }
    held[hierarchy.levels[index].back()].push_back(operand);
  }
  Accelerator extended = core;
  for (std::size_t memory = 0; memory < held.size(); ++memory) {
    if (held[memory].empty()) continue;
    extended.memories.push_back(copy_for(offchip_core.memories[memory], held[memory], extended, rules));
  }
  return extended;
}

bool same_instance(const Memory& a, const Memory& b) {
  const auto same_port = [](const Port& p, const Port& q) {
    return p.type == q.type && p.bandwidth_min == q.bandwidth_min && p.bandwidth_max == q.bandwidth_max &&
           p.efficiency == q.efficiency;
  };
  return a.name == b.name && a.size == b.size && a.read_cost == b.read_cost &&
         a.write_cost == b.write_cost && a.area == b.area && a.latency == b.latency &&
         std::equal(a.ports.begin(), a.ports.end(), b.ports.begin(), b.ports.end(), same_port);
}

OffchipDemand offchip_demand(const Evaluation& evaluation, const Layer& piece,
                             const Accelerator& accelerator, const std::vector<int>& operands,
                             const Rules& rules) {
  OffchipDemand demand;
  if (operands.empty()) return demand;
  const MemoryHierarchy hierarchy(accelerator);
  for (const int operand : operands) {
    const int memory_operand = hierarchy.operand_index(piece.memory_operand(operand));
    const bool known =
        static_cast<std::size_t>(operand) < evaluation.operands.size() &&
        evaluation.operands[operand].levels.size() == hierarchy.levels[memory_operand].size();
    if (known) {
      const auto moved = [&](Direction direction) {
        return moved_bits(evaluation, accelerator, hierarchy, memory_operand, operand, direction);
      };
      demand.read_bits += moved(Direction::read_to_low);
      demand.write_bits += moved(Direction::write_from_low);
    } else {
      (operand == 0 ? demand.write_bits : demand.read_bits) +=
          static_cast<double>(piece.operand_bits(operand, rules));
    }
  }
  const bool mapped = evaluation.accelerator && evaluation.layer && evaluation.spatial_mapping &&
                      evaluation.spatial_mapping_int && evaluation.temporal_mapping;
  if (mapped) {
    add_elements(evaluation, operands, rules, demand);
  } else if (evaluation.latency_total1 > 0) {
    for (const int operand : operands) {
      (operand == 0 ? demand.write_elements : demand.read_elements) += std::trunc(
          static_cast<double>(piece.operand_elements(operand, rules)) / evaluation.latency_total1);
    }
  }
  return demand;
}

}  // namespace zz::core
