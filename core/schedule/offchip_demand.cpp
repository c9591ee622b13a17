#include "core/schedule/offchip_demand.hpp"

#include <cmath>

#include "core/cost/cost_model.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/transfers.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {
namespace {

/// Whole elements per cycle of a transfer while it is repeated without a pause.
double elements_per_cycle(const LevelTransfer& transfer) {
  if (transfer.period == 0 || transfer.window == 0) return 0;
  const std::int64_t average = truncate(transfer.elements / static_cast<double>(transfer.period));
  const std::int64_t repeats = transfer.period / transfer.window;
  return static_cast<double>(average * repeats);
}

void add_elements(const Evaluation& evaluation, const std::vector<int>& operands, OffchipDemand& demand) {
  const CostTables tables(*evaluation.accelerator, *evaluation.layer, *evaluation.spatial_mapping,
                          *evaluation.spatial_mapping_int);
  const CostModel model(evaluation.accelerator, evaluation.layer, evaluation.spatial_mapping,
                        evaluation.spatial_mapping_int, {});
  const CompactMapping mapping = model.compact(*evaluation.temporal_mapping);
  const LoopCycles cycles(tables, mapping, true);
  const DataFootprint data(tables, tables.fractional, mapping, cycles);
  const Transfers transfers(tables, tables.fractional, data, cycles);
  for (const int operand : operands) {
    const int top = tables.operands[operand].levels - 1;
    demand.read_elements += elements_per_cycle(transfers.at(operand, top, Direction::read_to_low));
    demand.write_elements += elements_per_cycle(transfers.at(operand, top, Direction::write_from_low));
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

OffchipDemand offchip_demand(const Evaluation& evaluation, const Layer& tile,
                             const Accelerator& accelerator, const std::vector<int>& operands) {
  OffchipDemand demand;
  if (operands.empty()) return demand;
  const MemoryHierarchy hierarchy(accelerator);
  for (const int operand : operands) {
    const int memory_operand = hierarchy.operand_index(tile.memory_operand(operand));
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
          static_cast<double>(tile.operand_bits(operand));
    }
  }
  const bool mapped = evaluation.accelerator && evaluation.layer && evaluation.spatial_mapping &&
                      evaluation.spatial_mapping_int && evaluation.temporal_mapping;
  if (mapped) {
    add_elements(evaluation, operands, demand);
  } else if (evaluation.latency_total1 > 0) {
    for (const int operand : operands) {
      (operand == 0 ? demand.write_elements : demand.read_elements) +=
          std::trunc(static_cast<double>(tile.operand_elements(operand)) / evaluation.latency_total1);
    }
  }
  return demand;
}

}  // namespace zz::core
