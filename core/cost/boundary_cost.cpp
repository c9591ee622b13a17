#include "core/cost/boundary_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cost/uneven_portions.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

namespace {

/// Whole bits per cycle.
std::int64_t average_bandwidth(const OperandTable& operand, double bits) {
  return truncate(operand.held.beside() ? snapped(bits) : bits);
}

}  // namespace

Crossing crossing(const OperandTable& operand, const DataFootprint& footprint, int level, bool common,
                  std::int64_t period, std::int64_t total_cycles) {
  const ElementWidths& element = common ? footprint.widths_of_copies[level] : footprint.widths[level];
  const double copies = common ? footprint.copies[level] : 1;
  LevelTransfer transfer;
  transfer.elements = footprint.elements[level] * copies;
  transfer.precision = element.sum;
  transfer.period = period;
  transfer.count = total_cycles / period;
  const double per_unit =
      footprint.elements[level] * element.of(!footprint.partial_sum[level]) / static_cast<double>(period);
  transfer.bandwidth = average_bandwidth(operand, per_unit * copies);
  Crossing crossing;
  if (!operand.output) {
    crossing.down = transfer;
    return crossing;
  }
  const bool returns =
      truncate(static_cast<double>(operand.elements) * (footprint.accumulations[level + 1] - 1)) != 0;
  crossing.up = transfer;
  if (!returns) {
    crossing.up.precision = element.result;
    crossing.up.finished = true;
  }
  if (footprint.partial_sum[level]) crossing.down = transfer;
  crossing.down.precision = returns ? element.sum : 0;
  return crossing;
}

PerDirection<LevelTransfer> transfers_over(const OperandTable& operand, const DataFootprint& footprint,
                                           int level, std::int64_t period, std::int64_t total_cycles) {
  PerDirection<LevelTransfer> transfers;
  if (level == operand.levels) return transfers;
  const double passing = level == 0 ? std::min(1.0, operand.made * static_cast<double>(period)) : 1;
  const Crossing low = crossing(operand, footprint, level, true, period, total_cycles);
  transfers[read_to_low] = low.down;
  transfers[write_from_low] = low.up;
  transfers[read_to_low].passing = transfers[write_from_low].passing = passing;
  if (operand.in_requests)
    transfers[read_to_low].stretch = transfers[write_from_low].stretch = footprint.common_stretch[level];
  if (level == 0) return transfers;
  Crossing high = crossing(operand, footprint, level, false, period, total_cycles);
  if (footprint.adds[level]) {
    // Data that the memory below sends are complete behind the adder.
    high.up.precision = footprint.widths[level].sum;
    high.up.finished = false;
    high.up.bandwidth =
        average_bandwidth(operand, high.up.elements * high.up.precision / static_cast<double>(period));
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
double accesses_of(double portion_accesses, double count, double units) {
  const double accesses = portion_accesses * count * units;
  return units == std::floor(units) ? accesses : snapped(accesses);
}

double request_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  if (port.request_cycles == 0 || transfer.elements == 0 || transfer.precision == 0) return 0;
  const double stretches = transfer.elements / transfer.stretch;
  return snapped(stretches *
                 std::ceil(snapped(transfer.stretch * transfer.precision) / port.request_bits)) *
         port.request_cycles;
}

double portion_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  const double cycles = portion_accesses(transfer, port) / port.efficiency;
  return transfer.passing *
         (port.request_cycles == 0 ? cycles : std::max(cycles, request_cycles(transfer, port)));
}

std::int64_t port_cycles(const LevelTransfer& transfer, const TransferPort& port) {
  if (port.bandwidth_max == 0 || port.bandwidth_max >= static_cast<double>(width_without_time)) return 0;
  const std::int64_t cycles =
      ceil_quotient(snapped(transfer.elements * transfer.precision), port.bandwidth());
  if (port.request_cycles == 0) return cycles;
  return std::max(cycles, static_cast<std::int64_t>(std::ceil(snapped(request_cycles(transfer, port)))));
}

double port_demand(const LevelTransfer& transfer, const TransferPort& port, const StepCycles& step) {
  std::int64_t bandwidth = transfer.bandwidth;
  if (port.request_cycles != 0 && transfer.period != 0)
    bandwidth = std::max(bandwidth, truncate(request_cycles(transfer, port) * port.bandwidth() /
                                             static_cast<double>(transfer.period)));
  return std::ceil(static_cast<double>(bandwidth) / step.of_one());
}

int repeated_loops(const CostTables& tables, const CompactMapping& mapping, int operand) {
  const auto& relevancy = tables.operands[operand].relevancy;
  int loops = 0;
  while (loops < mapping.stationary[operand][0] &&
         relevancy[mapping.dimension[loops]] == Relevancy::irrelevant)
    ++loops;
  return loops;
}

double repeats_at_units(const CostTables& tables, const CompactMapping& mapping, int operand) {
  const TilesBelow repeated(tables, mapping, repeated_loops(tables, mapping, operand));
  return static_cast<double>(all_steps(tables, mapping)) / static_cast<double>(repeated.portions());
}

int without_outer_loops(const CostTables& tables, const CompactMapping& mapping, int operand, int level,
                        Relevancy wanted) {
  const auto& relevancy = tables.operands[operand].relevancy;
  const int begin = mapping.loops_below(operand, level - 1);
  int end = mapping.loops_below(operand, level);
  while (end > begin && relevancy[mapping.dimension[end - 1]] == wanted) --end;
  return end;
}

double outer_iterations(const CostTables& tables, const CompactMapping& mapping, int operand, int level,
                        Relevancy wanted) {
  const int end = mapping.loops_below(operand, level);
  const int inner = without_outer_loops(tables, mapping, operand, level, wanted);
  if (inner == end) return 1;
  if (!is_ragged(tables, mapping)) {
    double iterations = 1;
    for (int loop = inner; loop < end; ++loop) iterations *= static_cast<double>(mapping.size[loop]);
    return iterations;
  }
  return static_cast<double>(TilesBelow(tables, mapping, end).steps()) /
         static_cast<double>(TilesBelow(tables, mapping, inner).steps());
}

namespace {

/// Adds up a boundary from its sizes of portion.
class BoundarySum {
 public:
  BoundarySum(const CostTables& tables, const CostModelOptions& options, const CompactMapping& mapping,
              int operand, int level)
      : tables_(tables),
        options_(options),
        mapping_(mapping),
        index_(operand),
        level_(level),
        operand_(tables.operands[operand]),
        // An input that the units keep for several cycles is fetched once for all of them.
        tiles_(tables, mapping,
               level == 0 && !operand_.output && options.same_data_free
                   ? repeated_loops(tables, mapping, operand)
                   : mapping.loops_below(operand, level)),
        directions_(level == operand_.levels ? 0
                    : level == 0             ? 2
                                             : direction_count) {}

  BoundaryCost sum() {
    cost_.period = tables_.period_of(tiles_.steps());
    cost_.count = tiles_.portions();
    if (tiles_.one_size()) {
      add({0, tiles_.steps(), cost_.count}, true);
    } else {
      for (const TilesBelow::Size& size : tiles_.sizes()) {
        PortionSize& one = cost_.sizes.emplace_back();
        one.last = size.last;
        one.period = tables_.period_of(size.steps);
        one.count = size.portions;
        add(size, cost_.sizes.size() == 1);
      }
    }
    if (has_uneven_portions()) count_each_portion();
    for (int direction = 0; direction < directions_; ++direction) {
      cost_.accesses[direction] = truncate(cost_.uncut[direction]);
      cost_.energy[direction] = static_cast<double>(cost_.accesses[direction]) *
                                operand_.energy[memory_at(level_, direction)][direction];
    }
    return std::move(cost_);
  }

 private:
  const TransferPort& port(int direction) const {
    return operand_.port[memory_at(level_, direction)][direction];
  }

  bool has_uneven_portions() const {
    return tables_.fractional[index_].has_rounds_of_two_sizes && !tables_.whole_units &&
           !options_.rules.words_of_average_round;
  }

  /// Portions of an average round may have fewer words together than those of the rounds.
  void count_each_portion() {
    const UnevenPortions alone(tables_, index_, tiles_, level_);
    const UnevenPortions together(tables_, index_, tiles_, level_ + 1);
    for (int direction = 0; direction < directions_; ++direction) {
      const LevelTransfer& transfer = first_[direction];
      const TransferPort& through = port(direction);
      if (transfer.elements == 0 || transfer.precision == 0 || through.bandwidth_max == 0) continue;
      const UnevenPortions& portions = memory_at(level_, direction) < level_ ? alone : together;
      const TileBits& stored = operand_.held.at(memory_at(level_, direction), transfer.finished);
      const double words = portions.words(stored, through.bandwidth_min);
      const double accesses = snapped(words * through.bandwidth_min / through.bandwidth_max);
      cost_.uncut[direction] = std::max(cost_.uncut[direction], accesses);
      const double cycles = transfer.passing * accesses / through.efficiency;
      const double passing = returns(direction) ? cycles - cycles / visits_ : cycles;
      cost_.busy[direction] = std::max(cost_.busy[direction], passing / portions.instances());
    }
  }

  bool returns(int direction) const {
    return operand_.output && (direction == read_to_low || direction == write_from_high);
  }

  void add(const TilesBelow::Size& size, bool first) {
    const DataFootprint held =
        footprint_of(tables_, tables_.fractional, mapping_, index_, level_, size.last);
    const std::int64_t steps = size.steps * size.portions;
    const PerDirection<LevelTransfer> transfers = transfers_over(operand_, held, level_, size.steps, steps);
    const auto portions = static_cast<double>(size.portions);
    const auto is_inside = [&](int dimension) { return tiles_.rounds(dimension, size.last) > 1; };
    for (int direction = 0; direction < directions_; ++direction) {
      const LevelTransfer& transfer = transfers[direction];
      if (port(direction).bandwidth_max == 0 && transfer.elements != 0) cost_.missing_port = true;
      const double accesses = portion_accesses(transfer, port(direction));
      const double each = portion_cycles(transfer, port(direction));
      cost_.busy[direction] +=
          each * (returns(direction) ? portions - portions / held.visits[level_] : portions);
      cost_.uncut[direction] += accesses_of(
          accesses, portions,
          taking_units(operand_, tables_.fractional[index_], memory_at(level_, direction) + 1, is_inside));
      if (!cost_.sizes.empty()) cost_.sizes.back().port_cycles[direction] = each;
    }
    if (first) cost_.passing = transfers[read_to_low].passing;
    if (!cost_.sizes.empty()) cost_.sizes.back().passing = transfers[read_to_low].passing;
    if (first) {
      hold(held);
      first_ = transfers;
      visits_ = held.visits[level_];
    }
    if (first || operand_.output) cost_.whole_bits = held.bits[level_];
    if (tables_.same_unrolling) return occupy_ports(transfers, steps, first);
    const DataFootprint whole =
        footprint_of(tables_, tables_.integral, mapping_, index_, level_, size.last);
    cost_.whole_bits = whole.bits[level_];
    cost_.partial_sum = operand_.output && whole.partial_sum[level_];
    occupy_ports(transfers_over(operand_, whole, level_, size.steps, steps), steps, first);
  }

  /// The memory has room for the first portion.
  void hold(const DataFootprint& held) {
    const bool average =
        !tables_.fractional[index_].has_rounds_of_two_sizes || options_.rules.room_of_average_round;
    cost_.partial_sum = operand_.output && held.partial_sum[level_];
    const bool as_results = !operand_.output || options_.rules.sums_held_as_results;
    if (!operand_.held.in_format.empty()) {
      cost_.bits = fullest_room(tables_, mapping_, index_, level_, !held.partial_sum[level_]);
      cost_.bits_of_sums = as_results ? cost_.bits : fullest_room(tables_, mapping_, index_, level_, false);
      return;
    }
    const double elements =
        average ? held.elements[level_] : fullest_elements(tables_, mapping_, index_, level_);
    const ElementWidths element =
        average ? held.widths[level_] : fullest_widths(tables_, mapping_, index_, level_);
    cost_.bits = bits_of(operand_, elements, element.of(!held.partial_sum[level_]));
    cost_.bits_of_sums = as_results ? cost_.bits : bits_of(operand_, elements, element.sum);
    cost_.partial_sum = operand_.output && held.partial_sum[level_];
  }

  void occupy_ports(const PerDirection<LevelTransfer>& transfers, std::int64_t steps, bool first) {
    const double share =
        tiles_.one_size() ? 1
                          : static_cast<double>(steps) / static_cast<double>(all_steps(tables_, mapping_));
    for (int direction = 0; direction < directions_; ++direction) {
      const std::int64_t cycles = port_cycles(transfers[direction], port(direction));
      if (first) cost_.cycles[direction] = cycles;
      if (!cost_.sizes.empty()) cost_.sizes.back().cycles[direction] = cycles;
      cost_.demand[direction] += share * port_demand(transfers[direction], port(direction), tables_.step);
    }
  }

  const CostTables& tables_;
  const CostModelOptions& options_;
  const CompactMapping& mapping_;
  const int index_, level_;
  const OperandTable& operand_;
  const TilesBelow tiles_;
  const int directions_;
  PerDirection<LevelTransfer> first_{};  ///< of the first portion
  double visits_ = 1;                    ///< of an output: DataFootprint::visits
  BoundaryCost cost_;
};

}  // namespace

BoundaryCost cost_of(const CostTables& tables, const CostModelOptions& options,
                     const CompactMapping& mapping, int operand, int level) {
  return BoundarySum(tables, options, mapping, operand, level).sum();
}

bool same_boundary_costs(const Rules& a, const Rules& b) {
  return a.room_of_average_round == b.room_of_average_round &&
         a.sums_held_as_results == b.sums_held_as_results &&
         a.words_of_average_round == b.words_of_average_round;
}

/// The order of the additions decides the last digit.
double memory_energy(const BoundaryCost& low, const BoundaryCost& high) {
  return (high.energy[read_to_high] + low.energy[read_to_low]) +
         (high.energy[write_from_high] + low.energy[write_from_low]);
}

}  // namespace zz::core
