#include "core/cost/link_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cost/direction_index.hpp"
#include "core/cost/loading.hpp"

namespace zz::core {
namespace {

/// Calls with each point that has one loop less.
template <class Call>
void for_each_step_down(const LoopLattice& lattice, LoopLattice::Point point, Call call) {
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    if (lattice.placed(point, static_cast<int>(kind)) > 0) call(point - lattice.kinds()[kind].stride);
  }
}

}  // namespace

void LinkBounds::Floor::lower_to(const Floor& other) {
  for (int direction = 0; direction < direction_count; ++direction) {
    energy[direction] = std::min(energy[direction], other.energy[direction]);
    stall[direction] = std::min(stall[direction], other.stall[direction]);
    occupied[direction] = std::min(occupied[direction], other.occupied[direction]);
  }
  load_below = std::min(load_below, other.load_below);
  load_above = std::min(load_above, other.load_above);
}

LinkBounds::LinkBounds(const CostTables& tables, const CostModelOptions& options, LinkTables& links,
                       const AllocationTables& allocation)
    : tables_(tables),
      options_(options),
      links_(links),
      // ZigZag's own way to hide loading may make it less than nothing.
      bounds_latency_(!(options.zigzag_compat && options.loading_uses_spare_cycles)) {
  const LoopLattice& lattice = links.lattice();
  total_ = lattice.iterations(lattice.all());
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      if (tables.operands[operand].relevancy[lattice.kinds()[kind].dimension] == Relevancy::irrelevant)
        irrelevant_kinds_[operand] |= std::uint64_t{1} << kind;
    }
  }
  operations_energy_ = tables.unit_energy * static_cast<double>(tables.mac_count);
  if (tables.imc) {
    // Weights cannot be used more often in a row than for all loops that are irrelevant to them.
    double repeats = 1;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if ((irrelevant_kinds_[tables.imc->weight_operand] >> kind & 1) == 0) continue;
      for (int i = 0; i < lattice.kinds()[kind].count; ++i)
        repeats *= static_cast<double>(lattice.kinds()[kind].size);
    }
    operations_energy_ = tables.imc->with_repeats(repeats).total();
  }
  boundaries_ = std::make_shared<std::vector<Boundary>>(links.boundaries().size());
  for (std::size_t i = 0; i < boundaries_->size() && usable_; ++i) {
    const int boundary = static_cast<int>(i);
    const LinkTables::Boundary& place = links.boundaries()[i];
    if (place.top) {
      floor_[boundary] = floor_of(boundary, links.link(boundary, lattice.all()));
    } else if (place.level == 0) {
      tabulate_lowest(boundary);
    } else {
      tabulate(boundary, allocation);
    }
  }
  list_shared_memories(allocation);
}

LinkBounds::LinkBounds(const LinkBounds& other, LinkTables& links)
    : tables_(other.tables_),
      options_(other.options_),
      links_(links),
      usable_(other.usable_),
      bounds_latency_(other.bounds_latency_),
      operations_energy_(other.operations_energy_),
      total_(other.total_),
      least_first_bits_(other.least_first_bits_),
      irrelevant_kinds_(other.irrelevant_kinds_),
      boundaries_(other.boundaries_),
      shared_memories_(other.shared_memories_),
      reach_(other.reach_),
      floor_(other.floor_) {}

void LinkBounds::list_shared_memories(const AllocationTables& allocation) {
  for (const auto& group : tables_.share_groups) {
    SharedMemory memory;
    for (const OperandLevel& member : group) {
      memory.size = tables_.operands[member.operand].size[member.level];
      const int boundary = links_.lowest(member.operand) + member.level + 1;
      if (links_.boundaries()[static_cast<std::size_t>(boundary)].top) {
        memory.top_bits += allocation.at(member.operand, member.level).place.most_top_bits();
      } else {
        memory.boundaries.push_back(boundary);
      }
    }
    if (!memory.boundaries.empty()) shared_memories_.push_back(std::move(memory));
  }
}

LinkBounds::Floor LinkBounds::floor_of(int boundary, const LevelLink& link) const {
  const LinkTables::Boundary& place = links_.boundaries()[static_cast<std::size_t>(boundary)];
  const OperandTable& operand = tables_.operands[place.operand];
  Floor floor;
  floor.energy = link.energy;
  for (int direction = 0; direction < direction_count; ++direction) {
    const std::int64_t cycles = link.cycles[direction], repeats = link.count - 1;
    floor.stall[direction] = std::max<std::int64_t>(0, (cycles - link.period) * repeats);
    floor.occupied[direction] = cycles * repeats;
  }
  floor.load_below = link.load_below;
  floor.load_above = link.load_above;
  if (link.count > 1 || !options_.loading_uses_spare_cycles || place.level == 0 || place.top) return floor;
  // What happens once may be hidden but for the first data.
  const double first = place.level == 1 ? link.whole_bits : least_first_bits_[place.operand];
  const auto shown = [&](double cycles, int memory, int direction) {
    const double bandwidth = operand.port[memory][direction].bandwidth_max;
    return bandwidth == 0 ? cycles : std::min(cycles, std::ceil(first / bandwidth));
  };
  floor.load_below =
      shown(floor.load_below, place.level - 1, operand.output ? read_to_high : write_from_high);
  floor.load_above = shown(floor.load_above, place.level, operand.output ? write_from_low : read_to_low);
  return floor;
}

/// Below the lowest memory are the innermost loops that do not change an input; nothing for the output.
void LinkBounds::tabulate_lowest(int boundary) {
  const int operand = links_.boundaries()[static_cast<std::size_t>(boundary)].operand;
  const LoopLattice& lattice = links_.lattice();
  Boundary& table = (*boundaries_)[static_cast<std::size_t>(boundary)];
  table.fits.assign(lattice.points(), 0);
  table.fits[0] = 1;
  const bool keeps = !tables_.operands[operand].output && options_.same_data_free;
  for (LoopLattice::Point point = 1; keeps && point < lattice.points(); ++point) {
    bool irrelevant = true;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      irrelevant = irrelevant && (lattice.placed(point, static_cast<int>(kind)) == 0 ||
                                  (irrelevant_kinds_[operand] >> kind & 1) != 0);
    }
    table.fits[point] = irrelevant ? 1 : 0;
  }
  gather(boundary);
}

void LinkBounds::tabulate(int boundary, const AllocationTables& allocation) {
  const LinkTables::Boundary& place = links_.boundaries()[static_cast<std::size_t>(boundary)];
  const LoopLattice& lattice = links_.lattice();
  const AllocationTables::PlaceView memory = allocation.at(place.operand, place.level - 1);
  Boundary& table = (*boundaries_)[static_cast<std::size_t>(boundary)];
  table.fits.assign(lattice.points(), 0);
  table.certain.assign(lattice.points(), 1);
  table.fills_up = true;
  table.slices = &memory.place.slices;
  for (const SliceTable& slices : memory.place.slices) {
    if (slices.at.empty()) continue;
    table.fills_up = table.fills_up && slices.falling;
    for (LoopLattice::Point point = 0; point < lattice.points(); ++point) {
      const bool fits = slices.at[point].bits <= memory.node.capacity;
      table.fits[point] = table.fits[point] | (fits ? 1 : 0);
      table.certain[point] = table.certain[point] & (fits ? 1 : 0);
    }
  }
  for (LoopLattice::Point point = 1; point < lattice.points(); ++point) {
    for_each_step_down(lattice, point, [&](LoopLattice::Point less) {
      table.certain[point] = table.certain[point] & table.certain[less];
    });
  }
  if (place.level == 1) {
    double least = std::numeric_limits<double>::infinity();
    for (LoopLattice::Point point = 0; point < lattice.points(); ++point) {
      if (table.fits[point] != 0) least = std::min(least, links_.link(boundary, point).whole_bits);
    }
    least_first_bits_[place.operand] = least;
  }
  gather(boundary);
}

void LinkBounds::gather(int boundary) {
  const LoopLattice& lattice = links_.lattice();
  Boundary& table = (*boundaries_)[static_cast<std::size_t>(boundary)];
  constexpr double far = std::numeric_limits<double>::infinity();
  constexpr std::int64_t far_cycles = std::numeric_limits<std::int64_t>::max() / 64;
  Floor nothing;
  nothing.energy.fill(far);
  nothing.stall.fill(far_cycles);
  nothing.occupied.fill(far_cycles);
  nothing.load_below = nothing.load_above = far;
  table.inside.assign(lattice.points(), nothing);
  for (LoopLattice::Point point = 0; point < lattice.points(); ++point) {
    if (table.fits[point] != 0) {
      const LevelLink& link = links_.link(boundary, point);
      usable_ = usable_ && !link.special;
      table.inside[point] = floor_of(boundary, link);
    }
    for_each_step_down(lattice, point,
                       [&](LoopLattice::Point less) { table.inside[point].lower_to(table.inside[less]); });
  }
}

int LinkBounds::end_of_run(const OrderTree& tree, int operand, int position) const {
  while (position < tree.loops() && (irrelevant_kinds_[operand] >> tree.kind(position) & 1) != 0)
    ++position;
  return position;
}

void LinkBounds::bound_lowest(const OrderTree& tree, int open, int boundary) {
  const int operand = links_.boundaries()[static_cast<std::size_t>(boundary)].operand;
  const Boundary& table = (*boundaries_)[static_cast<std::size_t>(boundary)];
  Floor& floor = floor_[boundary];
  floor = table.inside[tree.point(open)];
  // Only if all loops inside are irrelevant may the run go on outside.
  if (table.fits[tree.point(open)] == 0 || tables_.operands[operand].output || !options_.same_data_free)
    return;
  for (int position = open + 1, end = end_of_run(tree, operand, open); position <= end; ++position)
    floor.lower_to(floor_of(boundary, links_.link(boundary, tree.point(position))));
}

/// How far the operand fills the memory below the boundary if it has it for itself, `highest_below` being
/// the farthest that it may have come in the memory before.
LinkBounds::Reach LinkBounds::reach_of(const OrderTree& tree, int open, int boundary,
                                       int highest_below) const {
  const Boundary& table = (*boundaries_)[static_cast<std::size_t>(boundary)];
  if (table.fills_up && table.certain[tree.point(open)] != 0) {
    int end = open;
    while (end < tree.loops() && table.certain[tree.point(end + 1)] != 0) ++end;
    const bool full = end == tree.loops() || table.fits[tree.point(end + 1)] == 0;
    if (full && highest_below <= end) return {true, end};
  }
  int highest = std::max(open, highest_below);
  for (int position = highest + 1; position <= tree.loops(); ++position) {
    if (table.fits[tree.point(position)] != 0) highest = position;
  }
  return {false, highest};
}

/// Operands that share a memory fill it up each for itself where all of that has room.
void LinkBounds::check_room(const OrderTree& tree) {
  for (const SharedMemory& memory : shared_memories_) {
    double bits = memory.top_bits;
    bool known = true;
    for (const int boundary : memory.boundaries) {
      known = known && reach_[boundary].known;
      double most = 0;
      for (const SliceTable& slices : *(*boundaries_)[static_cast<std::size_t>(boundary)].slices) {
        if (known && !slices.at.empty())
          most = std::max(most, slices.at[tree.point(reach_[boundary].end)].bits);
      }
      bits += most;
    }
    // The bits may be added in another order than the allocator's.
    constexpr double rounding = 1e-9;
    if (known && bits <= memory.size * (1 - rounding)) continue;
    for (const int boundary : memory.boundaries) reach_[boundary].known = false;
  }
}

void LinkBounds::bound_memory(const OrderTree& tree, int open, int boundary) {
  const int operand = links_.boundaries()[static_cast<std::size_t>(boundary)].operand;
  const Boundary& table = (*boundaries_)[static_cast<std::size_t>(boundary)];
  Floor& floor = floor_[boundary];
  if (reach_[boundary].known) {
    const int cut = end_of_run(tree, operand, reach_[boundary].end);
    floor = floor_of(boundary, links_.link(boundary, tree.point(cut)));
    return;
  }
  floor = table.inside[tree.point(open)];
  for (int position = open + 1; position <= tree.loops(); ++position) {
    if (table.fits[tree.point(position)] != 0)
      floor.lower_to(floor_of(boundary, links_.link(boundary, tree.point(position))));
  }
}

Score LinkBounds::least(const OrderTree& tree, int open) {
  int highest = 0;
  for (std::size_t i = 0; i < boundaries_->size(); ++i) {
    const LinkTables::Boundary& place = links_.boundaries()[i];
    const int boundary = static_cast<int>(i);
    if (place.level == 0) {
      highest = 0;
    } else if (!place.top) {
      reach_[boundary] = reach_of(tree, open, boundary, highest);
      highest = reach_[boundary].end;
    }
  }
  check_room(tree);
  for (std::size_t i = 0; i < boundaries_->size(); ++i) {
    const LinkTables::Boundary& place = links_.boundaries()[i];
    const int boundary = static_cast<int>(i);
    if (place.level == 0) {
      bound_lowest(tree, open, boundary);
    } else if (!place.top) {
      bound_memory(tree, open, boundary);
    }
  }
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  Score score{energy(), nothing, nothing};
  if (!bounds_latency_) return score;
  score.latency_total0 =
      static_cast<double>(total_) * tables_.cycles_per_operation + static_cast<double>(stalls());
  score.latency_total2 = score.latency_total0 + onloading() + offloading();
  return score;
}

double LinkBounds::energy() const {
  double total = 0;
  for (std::size_t boundary = 0; boundary < boundaries_->size(); ++boundary) {
    if (links_.boundaries()[boundary].top) continue;
    const PerDirection<double>& low = floor_[boundary].energy;
    const PerDirection<double>& high = floor_[boundary + 1].energy;
    total += (high[read_to_high] + low[read_to_low]) + (high[write_from_high] + low[write_from_low]);
  }
  return total + operations_energy_;
}

/// A port is late by what its transfers are late each for itself, and by what they need together beyond the
/// whole computation.
std::int64_t LinkBounds::stalls() const {
  std::int64_t worst = 0;
  for (const LinkTables::Port& port : links_.ports()) {
    std::int64_t late = 0, occupied = 0;
    for (const LinkTables::PortUse& use : port.uses) {
      late += floor_[use.boundary].stall[use.direction];
      occupied += floor_[use.boundary].occupied[use.direction];
    }
    worst = std::max(worst, late);
    if (tables_.cycles_per_operation == 1) worst = std::max(worst, occupied - total_);
  }
  return worst;
}

double LinkBounds::onloading() const {
  std::array<InputLoading, max_operands> inputs;
  for (int operand = 1; operand < tables_.operand_count; ++operand) {
    for (int level = 1; level < tables_.operands[operand].levels; ++level) {
      const int boundary = links_.lowest(operand) + level;
      const LinkTables::Sharing& sharing = links_.sharing(boundary);
      inputs[operand].add(std::max(floor_[boundary].load_below, floor_[boundary].load_above), sharing.below,
                          sharing.above, options_.zigzag_compat);
    }
  }
  if (tables_.operand_count == 3) return combined_onloading(inputs[1], inputs[2]);
  return tables_.operand_count == 2 ? combined_onloading(inputs[1]) : 0;
}

double LinkBounds::offloading() const {
  double cycles = 0;
  for (int boundary = 1; boundary < tables_.operands[0].levels; ++boundary)
    cycles += std::max(floor_[boundary].load_below, floor_[boundary].load_above);
  return cycles;
}

}  // namespace zz::core
