#include "core/search/optimal/moved_once.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/memory_energy.hpp"
#include "core/search/loma/loop_factors.hpp"
#include "core/search/optimal/operand_portions.hpp"

namespace zz::core {
double window_share(const Layer& layer, int operand) {
  double share = 1;
  if (layer.has_relations(operand) && !layer.exact_positions) {
    for (const DimensionRelation& relation : layer.relations) {
      const auto size = [&](const std::string& name) {
        return layer.loop_index(name) < 0 ? std::int64_t{1} : layer.loop_size(name);
      };
      const WindowPositions positions(relation.stride, relation.dilation, relation.size, false);
      const std::int64_t outputs = size(relation.output_loop);
      const std::int64_t filters = size(relation.filter_loop);
      share *= std::min(1.0, static_cast<double>(std::max(outputs, filters)) /
                                 static_cast<double>(positions.count(outputs, filters)));
    }
  }
  return share;
}

MovedOnce cost_of_moving_once(const MappingProblem& problem) {
  const CostTables tables(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral);
  const std::vector<RemainingLoop> loops =
      remaining_loops(*problem.layer, *problem.fractional, problem.options.zigzag_compat);
  const std::vector<FactorTable> factors =
      loop_factors(*problem.layer, loops, {}, 0, problem.options.zigzag_compat);
  MovedOnce once;
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    OperandPortions portions(tables, loops, operand, factors, problem.options.same_data_free, false);
    const std::size_t full = portions.lattice().full();
    portions.prepare({&full, 1});
    const OperandPortions::Moved& transfers = portions.at(full, false);
    const OperandTable& table = tables.operands[operand];
    const double share = window_share(*problem.layer, operand);
    for (int link = 1; link < table.levels; ++link) {
      double whole = 0;
      double one_access = 0;
      const auto pay = [&](int level, Direction direction) {
        const int index = static_cast<int>(direction);
        const LevelTransfer& transfer = transfers[level][index];
        const TransferPort& port = table.port[level][index];
        if (transfer.elements == 0 || port.bandwidth_max == 0) return;
        const double units = tables.fractional[operand].unit_count[level + 1];
        whole += table.energy[level][index] * static_cast<double>(count_accesses(transfer, port, units));
        one_access += table.energy[level][index];
      };
      pay(link, Direction::read_to_low);
      pay(link, Direction::write_from_low);
      pay(link - 1, Direction::read_to_high);
      pay(link - 1, Direction::write_from_high);
      once.energy[operand] += std::max(0.0, share * whole - one_access);
    }
    const bool whole_cycles = tables.cycles_per_operation == std::floor(tables.cycles_per_operation);
    if (operand == 0 || table.levels < 2 || !whole_cycles) continue;
    const int last = table.levels - 1;
    const int index = static_cast<int>(Direction::read_to_low);
    const double width = table.port[last][index].bandwidth_max;
    if (width == 0) continue;
    const double bits = transfers[last][index].elements * transfers[last][index].precision;
    once.latency[operand] = std::max(0.0, std::floor(bits / width) - 1);
  }
  return once;
}

}  // namespace zz::core
