#include "core/cost/boundary_cost.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/rounding.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

Crossing crossing(const OperandTable& operand, const DataFootprint& footprint, int level, double copies,
                  std::int64_t period, std::int64_t total_cycles) {
  LevelTransfer transfer;
  transfer.elements = footprint.elements[level] * copies;
  transfer.precision = static_cast<double>(operand.precision);
  transfer.period = period;
  transfer.count = total_cycles / period;
  const double per_unit =
      footprint.elements[level] * footprint.precision[level] / static_cast<double>(period);
  transfer.bandwidth = truncate(per_unit * copies);
  Crossing crossing;
  if (!operand.output) {
    crossing.down = transfer;
    return crossing;
  }
  const bool returns =
      truncate(static_cast<double>(operand.elements) * (footprint.accumulations[level + 1] - 1)) != 0;
  crossing.up = transfer;
  if (!returns) crossing.up.precision = static_cast<double>(operand.final_precision);
  if (footprint.partial_sum[level]) crossing.down = transfer;
  crossing.down.precision = returns ? static_cast<double>(operand.precision) : 0;
  return crossing;
}

PerDirection<LevelTransfer> transfers_over(const OperandTable& operand, const DataFootprint& footprint,
                                           int level, std::int64_t period, std::int64_t total_cycles) {
  PerDirection<LevelTransfer> transfers;
  if (level == operand.levels) return transfers;
  const Crossing low = crossing(operand, footprint, level, footprint.copies[level], period, total_cycles);
  transfers[read_to_low] = low.down;
  transfers[write_from_low] = low.up;
  if (operand.in_requests)
    transfers[read_to_low].stretch = transfers[write_from_low].stretch = footprint.common_stretch[level];
  if (level == 0) return transfers;
  Crossing high = crossing(operand, footprint, level, 1, period, total_cycles);
  if (footprint.adds[level]) {
    // Data that the memory below sends are complete behind the adder.
    high.up.precision = static_cast<double>(operand.precision);
    high.up.bandwidth = truncate(high.up.elements * high.up.precision / static_cast<double>(period));
  }
  transfers[read_to_high] = high.up;
  transfers[write_from_high] = high.down;
  if (operand.in_requests)
    transfers[read_to_high].stretch = transfers[write_from_high].stretch = footprint.stretch[level];
  return transfers;
}

double portion_accesses(const LevelTransfer& transfer, const TransferPort& port) {
  if (transfer.elements == 0 || transfer.precision == 0) return 0;
  const double minimal = std::ceil(snapped(transfer.elements * transfer.precision) / port.bandwidth_min);
  return minimal * (port.bandwidth_min / port.bandwidth_max);
}

/// The order of the operations decides the last digit.
std::int64_t count_accesses(double portion_accesses, double count, double units) {
  const double accesses = portion_accesses * count * units;
  return truncate(units == std::floor(units) ? accesses : snapped(accesses));
}

double request_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  if (port.request_cycles == 0 || transfer.elements == 0 || transfer.precision == 0) return 0;
  const double stretches = transfer.elements / transfer.stretch;
  return snapped(stretches *
                 std::ceil(snapped(transfer.stretch * transfer.precision) / port.request_bits)) *
         port.request_cycles;
}

double portion_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  const double accesses = portion_accesses(transfer, port);
  return port.request_cycles == 0 ? accesses : std::max(accesses, request_cycles(transfer, port));
}

std::int64_t port_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  if (port.bandwidth_max == 0 || port.bandwidth_max >= static_cast<double>(width_without_time)) return 0;
  const std::int64_t cycles =
      ceil_quotient(snapped(transfer.elements * transfer.precision), port.bandwidth_max);
  if (port.request_cycles == 0) return cycles;
  return std::max(cycles, static_cast<std::int64_t>(std::ceil(snapped(request_cycles(transfer, port)))));
}

double port_demand(const LevelTransfer& transfer, const TransferPort& port, double cycles_per_operation) {
  std::int64_t bandwidth = transfer.bandwidth;
  if (port.request_cycles != 0 && transfer.period != 0)
    bandwidth = std::max(bandwidth, truncate(request_cycles(transfer, port) * port.bandwidth_max /
                                             static_cast<double>(transfer.period)));
  return std::ceil(static_cast<double>(bandwidth) / cycles_per_operation);
}

std::int64_t scaled_cycles(std::int64_t cycles, double cycles_per_operation) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(cycles) * cycles_per_operation));
}

std::int64_t all_iterations(const CompactMapping& mapping) {
  std::int64_t total = 1;
  for (int loop = 0; loop < mapping.loops; ++loop) total *= mapping.size[loop];
  return total;
}

int repeated_loops(const CostTables& tables, const CompactMapping& mapping, int operand) {
  const auto& relevancy = tables.operands[operand].relevancy;
  int loops = 0;
  while (loops < mapping.stationary[operand][0] &&
         relevancy[mapping.dimension[loops]] == Relevancy::irrelevant)
    ++loops;
  return loops;
}

std::int64_t repeats_at_units(const CostTables& tables, const CompactMapping& mapping, int operand) {
  std::int64_t repeats = 1;
  for (int loop = repeated_loops(tables, mapping, operand); loop-- > 0;) repeats *= mapping.size[loop];
  return repeats;
}

std::int64_t outer_iterations(const CostTables& tables, const CompactMapping& mapping, int operand,
                              int level, Relevancy wanted) {
  const auto& relevancy = tables.operands[operand].relevancy;
  const int begin = mapping.loops_below(operand, level - 1);
  std::int64_t iterations = 1;
  for (int loop = mapping.loops_below(operand, level);
       loop > begin && relevancy[mapping.dimension[loop - 1]] == wanted; --loop)
    iterations *= mapping.size[loop - 1];
  return iterations;
}

BoundaryCost cost_of(const CostTables& tables, const CostModelOptions& options,
                     const CompactMapping& mapping, int index, int level) {
  const OperandTable& operand = tables.operands[index];
  BoundaryCost cost;
  // An input that the units keep for several cycles is fetched once for all of them.
  const bool kept = level == 0 && !operand.output && options.same_data_free;
  const int inside = kept ? repeated_loops(tables, mapping, index) : mapping.loops_below(index, level);
  std::int64_t period = 1;
  for (int loop = inside; loop-- > 0;) period *= mapping.size[loop];
  const auto is_inside = [&](int dimension) {
    for (int loop = 0; loop < inside; ++loop)
      if (mapping.dimension[loop] == dimension && mapping.size[loop] > 1) return true;
    return false;
  };
  const std::int64_t total = all_iterations(mapping);
  cost.period = scaled_cycles(period, tables.cycles_per_operation);
  cost.count = total / period;
  const int directions = level == operand.levels ? 0 : level == 0 ? 2 : direction_count;
  const DataFootprint held = footprint_of(tables, tables.fractional, mapping, index, level);
  PerDirection<LevelTransfer> transfers = transfers_over(operand, held, level, period, total);
  for (int direction = 0; direction < directions; ++direction) {
    const LevelTransfer& transfer = transfers[direction];
    const int memory = memory_at(level, direction);
    const TransferPort& port = operand.port[memory][direction];
    if (port.bandwidth_max == 0 && transfer.elements != 0) cost.missing_port = true;
    const double accesses = portion_accesses(transfer, port);
    const auto portions = static_cast<double>(transfer.count);
    const bool returns = operand.output && (direction == read_to_low || direction == write_from_high);
    const double each = port.request_cycles == 0 ? accesses : portion_cycles(transfer, port);
    cost.busy[direction] = each * (returns ? portions - portions / held.visits[level] : portions);
    cost.accesses[direction] = count_accesses(
        accesses, portions, taking_units(operand, tables.fractional[index], memory + 1, is_inside));
    cost.energy[direction] =
        static_cast<double>(cost.accesses[direction]) * operand.energy[memory][direction];
  }
  cost.whole_bits = held.bits[level];
  const bool average =
      !tables.fractional[index].has_rounds_of_two_sizes || options.rules.room_of_average_round;
  const double elements = average ? held.elements[level] : fullest_elements(tables, mapping, index, level);
  cost.bits = elements * held.precision[level];
  const bool as_results = !operand.output || options.rules.sums_held_as_results;
  cost.bits_of_sums = as_results ? cost.bits : elements * static_cast<double>(operand.precision);
  cost.partial_sum = operand.output && held.partial_sum[level];
  if (!tables.same_unrolling) {
    const DataFootprint whole = footprint_of(tables, tables.integral, mapping, index, level);
    transfers = transfers_over(operand, whole, level, period, total);
    cost.whole_bits = whole.bits[level];
    cost.partial_sum = operand.output && whole.partial_sum[level];
  }
  for (int direction = 0; direction < directions; ++direction) {
    const TransferPort& port = operand.port[memory_at(level, direction)][direction];
    cost.cycles[direction] = port_cycles(transfers[direction], port);
    cost.demand[direction] = port_demand(transfers[direction], port, tables.cycles_per_operation);
  }
  return cost;
}

bool same_boundary_costs(const Rules& a, const Rules& b) {
  return a.room_of_average_round == b.room_of_average_round &&
         a.sums_held_as_results == b.sums_held_as_results;
}

/// The order of the additions decides the last digit.
double memory_energy(const BoundaryCost& low, const BoundaryCost& high) {
  return (high.energy[read_to_high] + low.energy[read_to_low]) +
         (high.energy[write_from_high] + low.energy[write_from_low]);
}

}  // namespace zz::core
