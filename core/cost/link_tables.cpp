#include "core/cost/link_tables.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/data_footprint.hpp"
#include "core/cost/direction_index.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/memory_energy.hpp"
#include "core/cost/order_dependence.hpp"
#include "core/cost/port_stalls.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/transfers.hpp"

namespace zz::core {
namespace {

/// Some order that has just the loops of the point below the boundary of the architecture level.
CompactMapping order_with_cut(const CostTables& tables, const LoopLattice& lattice, int operand, int level,
                              LoopLattice::Point below) {
  CompactMapping mapping;
  const auto put = [&](const LoopLattice::Kind& kind, int count) {
    for (int i = 0; i < count; ++i) {
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(kind.dimension);
      mapping.size[mapping.loops++] = kind.size;
    }
  };
  const std::size_t kinds = lattice.kinds().size();
  std::array<int, LoopLattice::most_loops> placed;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    placed[kind] = lattice.placed(below, static_cast<int>(kind));
    put(lattice.kinds()[kind], placed[kind]);
  }
  const int cut = mapping.loops;
  // Irrelevant loops last: next to the cut they would be more cycles for which the units keep an input.
  for (const bool irrelevant : {false, true}) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const LoopLattice::Kind& of_kind = lattice.kinds()[kind];
      const Relevancy relevancy = tables.operands[operand].relevancy[of_kind.dimension];
      if ((relevancy == Relevancy::irrelevant) == irrelevant) put(of_kind, of_kind.count - placed[kind]);
    }
  }
  const int levels = tables.operands[operand].levels;
  for (int memory = 0; memory < levels; ++memory) {
    const bool at_cut = memory < std::max(level, 1) && memory + 1 < levels;
    mapping.stationary[operand][memory] = static_cast<std::uint8_t>(at_cut ? cut : mapping.loops);
  }
  return mapping;
}

}  // namespace

LinkTables::LinkTables(const CostTables& tables, const CostModelOptions& options,
                       std::shared_ptr<const LoopLattice> lattice)
    : tables_(tables),
      options_(options),
      lattice_(std::move(lattice)),
      fractional_may_depend_(may_depend_on_order(tables.fractional, tables.operand_count, *lattice_)),
      integral_may_depend_(may_depend_on_order(tables.integral, tables.operand_count, *lattice_)) {
  const OperandTable& output = tables.operands[0];
  // A window that slides over the output makes accumulations a matter of order.
  usable_ = !output.has_relations && std::find(output.relevancy.begin(), output.relevancy.end(),
                                               Relevancy::partially_relevant) == output.relevancy.end();
  if (!usable_) return;
  for (const LoopLattice::Kind& kind : lattice_->kinds()) {
    KindTraits& traits = kinds_.emplace_back();
    traits.stride = kind.stride;
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      const Relevancy relevancy = tables.operands[operand].relevancy[kind.dimension];
      if (relevancy == Relevancy::irrelevant) traits.irrelevant |= LoopSets::first_of(operand);
      if (relevancy == Relevancy::relevant) traits.relevant |= LoopSets::first_of(operand);
    }
  }
  list_boundaries();
  list_ports();
  list_stores();
  for (std::size_t i = 0; i < boundaries_.size(); ++i) {
    const int boundary = static_cast<int>(i);
    usable_ = usable_ && !(boundaries_[i].top && link(boundary, lattice_->all()).special);
  }
}

void LinkTables::list_boundaries() {
  boundaries_.reserve(most_boundaries);
  for (int operand = 0; operand < tables_.operand_count; ++operand) {
    lowest_[operand] = static_cast<int>(boundaries_.size());
    const int levels = tables_.operands[operand].levels;
    const bool keeps = !tables_.operands[operand].output && options_.same_data_free;
    for (int level = 0; level <= levels; ++level)
      boundaries_.push_back({operand, level, level == levels, level == 0 && keeps});
  }
  known_.assign(boundaries_.size() * lattice_->points(), nullptr);
}

void LinkTables::list_ports() {
  ports_.reserve(tables_.ports.size());
  for (const PortTable& port : tables_.ports) {
    Port plan{port.bandwidth_max, {}, 0};
    plan.uses.reserve(port.services.size());
    for (const Service& service : port.services) {
      const OperandTable& operand = tables_.operands[service.operand];
      const int direction = static_cast<int>(service.direction);
      const bool low = direction == read_to_low || direction == write_from_low;
      const int boundary = above({service.operand, low ? service.level - 1 : service.level});
      const bool up = direction == write_from_low || direction == read_to_high;
      // Inputs do not travel up, and nothing lies above the topmost memory.
      if ((!operand.output && up) || boundaries_[static_cast<std::size_t>(boundary)].top) continue;
      const bool back = operand.output && !up;
      plan.uses.push_back({boundary, direction, !low, back});
      if (!back) plan.loads |= std::uint64_t{1} << boundary;
      Sharing& sharing = sharing_[boundary];
      (low ? sharing.above : sharing.below) = port.serves_both_inputs;
    }
    if (!plan.uses.empty()) ports_.push_back(std::move(plan));
  }
}

void LinkTables::list_stores() {
  const auto add = [&](std::vector<int> holders, double size, bool shared) {
    const auto top = [&](int boundary) { return boundaries_[static_cast<std::size_t>(boundary)].top; };
    if (std::all_of(holders.begin(), holders.end(), top)) return;
    std::vector<int> claims = holders;
    std::sort(claims.begin(), claims.end());
    stores_.push_back({std::move(holders), std::move(claims), size, shared});
  };
  for (const auto& group : tables_.share_groups) {
    std::vector<int> holders;
    for (const OperandLevel& member : group) holders.push_back(above(member));
    if (!group.empty())
      add(holders, tables_.operands[group.front().operand].size[group.front().level], true);
  }
  for (int operand = 0; operand < tables_.operand_count; ++operand) {
    for (int level = 0; level < tables_.operands[operand].levels; ++level) {
      if (tables_.operands[operand].share_group[level] < 0)
        add({above({operand, level})}, tables_.operands[operand].size[level], false);
    }
  }
}

const LevelLink& LinkTables::make(int boundary, LoopLattice::Point below) {
  const int index = boundaries_[static_cast<std::size_t>(boundary)].operand;
  const int level = boundaries_[static_cast<std::size_t>(boundary)].level;
  const OperandTable& operand = tables_.operands[index];
  const CompactMapping mapping = order_with_cut(tables_, *lattice_, index, level, below);
  const std::int64_t total = lattice_->iterations(lattice_->all());
  LevelLink& link = links_.emplace_back();
  // An input that the units keep for several cycles is fetched once for all of them.
  const bool keeps = boundaries_[static_cast<std::size_t>(boundary)].keeps;
  link.period = level > 0 ? lattice_->iterations(below)
                : keeps   ? repeats_at_units(tables_, mapping, index)
                          : 1;
  link.count = total / link.period;

  // Visits the transfers through this boundary: (memory, direction, transfer).
  const auto each_transfer = [&](const DataFootprint& held, const SpatialTable& unrolling,
                                 const auto& visit) {
    if (level == operand.levels) return;
    const auto through = [&](double boost) {
      constexpr std::int64_t window = 0;  // unlike the rest it follows from the order of the loops
      return crossing(operand, held, index, level, boost, link.period, window, total);
    };
    const Crossing low = through(unrolling.boost[level]);
    visit(level, read_to_low, low.down);
    visit(level, write_from_low, low.up);
    if (level == 0) return;
    const Crossing high = through(1);
    visit(level - 1, read_to_high, high.up);
    visit(level - 1, write_from_high, high.down);
  };
  const auto count_energy = [&](int memory, int direction, const LevelTransfer& transfer) {
    const TransferPort& port = operand.port[memory][direction];
    link.missing_port = link.missing_port || (port.bandwidth_max == 0 && transfer.elements != 0);
    const double units = tables_.fractional[index].unit_count[memory + 1];
    link.energy[direction] =
        static_cast<double>(count_accesses(transfer, port, units)) * operand.energy[memory][direction];
  };
  const auto time = [&](int memory, int direction, const LevelTransfer& transfer) {
    const TransferPort& port = operand.port[memory][direction];
    if (port.bandwidth_max != 0)
      link.cycles[direction] = ceil_quotient(transfer.elements * transfer.precision, port.bandwidth_max);
    if (transfer.count > 1)
      link.demand[direction] =
          std::ceil(static_cast<double>(transfer.bandwidth) / tables_.cycles_per_operation);
  };
  const auto count_and_time = [&](int memory, int direction, const LevelTransfer& transfer) {
    count_energy(memory, direction, transfer);
    time(memory, direction, transfer);
  };
  const DataFootprint held = DataFootprint::of_operand(tables_, tables_.fractional, mapping, index, level);
  link.bits = held.operands[index].bits[level];
  const bool output = operand.output;
  bool depends = fractional_may_depend_ &&
                 depends_on_order(tables_, tables_.fractional, *lattice_, index, level, below);
  if (tables_.same_unrolling) {
    each_transfer(held, tables_.fractional[index], count_and_time);
    link.whole_bits = link.bits;
    link.partial_sum = output && held.partial_sum[level];
  } else {
    each_transfer(held, tables_.fractional[index], count_energy);
    const DataFootprint whole = DataFootprint::of_operand(tables_, tables_.integral, mapping, index, level);
    each_transfer(whole, tables_.integral[index], time);
    link.whole_bits = whole.operands[index].bits[level];
    link.partial_sum = output && whole.partial_sum[level];
    depends = depends || (integral_may_depend_ &&
                          depends_on_order(tables_, tables_.integral, *lattice_, index, level, below));
  }
  link.period = scaled_cycles(link.period, tables_.cycles_per_operation);
  link.load_below = static_cast<double>(link.cycles[output ? read_to_high : write_from_high]);
  link.load_above = static_cast<double>(link.cycles[output ? write_from_low : read_to_low]);
  link.special = depends || link.missing_port;
  return link;
}

}  // namespace zz::core
