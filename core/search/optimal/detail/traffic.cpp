#include "core/search/optimal/detail/traffic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/data_footprint.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {
namespace {

std::vector<LoopKind> relevant_kinds(const OperandTable& table, const std::vector<FactorTable>& factors) {
  std::vector<LoopKind> kinds;
  for (const FactorTable& loop : factors) {
    if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
    for (const auto& [size, count] : loop.entries)
      if (size > 1) kinds.push_back({loop.dimension, size, count});
  }
  return kinds;
}

/// Products with such a factor are exact.
bool is_exact(double factor) { return factor * 4096 == std::floor(factor * 4096); }

}  // namespace

BoundaryEnergy::BoundaryEnergy(const OperandTable& operand, const PerLevel<double>& units,
                               const PerDirection<LevelTransfer>& transfers, int boundary) {
  for (int direction = 0; direction < direction_count; ++direction) {
    const LevelTransfer& transfer = transfers[direction];
    if (transfer.elements == 0) continue;
    const int memory = memory_at(boundary, direction);
    const TransferPort& port = operand.port[memory][direction];
    portions_ = static_cast<double>(transfer.count);
    accesses_[direction] = {operand.energy[memory][direction], portion_accesses(transfer, port),
                            units[memory + 1]};
    if (port.bandwidth_max == 0) accesses_[direction] = {infinite, 1, 1};
  }
}

double BoundaryEnergy::at_least(double share) const {
  const double all = of_all();
  if (all == infinite) return infinite;
  double one_access = 0;
  for (const Access& access : accesses_) one_access += access.energy;
  return std::max(0.0, share * all - one_access);
}

OperandTraffic::OperandTraffic(const CostTables& tables, const std::vector<RemainingLoop>& loops,
                               int operand, const std::vector<FactorTable>& factors, bool same_data_free,
                               bool integral, Counting counting)
    : tables_(tables),
      operand_(operand),
      table_(tables.operands[operand]),
      same_data_free_(same_data_free),
      counting_(counting),
      with_integral_(integral),
      loops_(loops),
      lattice_(relevant_kinds(table_, factors)) {
  iterations_.assign(lattice_.size(), 1);
  for (std::size_t multiset = 1; multiset < lattice_.size(); ++multiset) {
    const std::size_t kind = lattice_.first_kind(multiset);
    iterations_[multiset] = iterations_[multiset - lattice_.stride(kind)] * lattice_.kinds()[kind].size;
  }
  for (const RemainingLoop& loop : loops_) {
    total_ *= loop.size;
    if (table_.relevancy[loop.dimension] == Relevancy::irrelevant) repeats_ *= loop.size;
  }
  for (const bool inside : {false, true})
    for (int level = 0; level <= table_.levels; ++level)
      units_[inside ? 1 : 0][level] = taking_units(table_, unrolling(), level, [&](int) { return inside; });
  fractional_ = unrolled(tables.fractional);
  integral_ = integral ? unrolled(tables.integral) : fractional_;
  for (int level = 1; level <= table_.levels; ++level) {
    make_room(fractional_, level);
    if (integral) make_room(integral_, level);
    fits_[level - 1].resize(lattice_.size());
  }
}

void OperandTraffic::make_room(Unrolled& unrolled, int level) const {
  unrolled.elements[level].resize(lattice_.size());
  if (unrolled.table.splits_window) unrolled.copies[level].resize(lattice_.size());
  if (has_beside()) {
    unrolled.widths[level].resize(lattice_.size());
    unrolled.widths_of_copies[level].resize(lattice_.size());
  }
  if (!table_.in_requests) return;
  unrolled.stretch[level].resize(lattice_.size());
  unrolled.common_stretch[level].resize(lattice_.size());
}

/// All boundaries closed above the irrelevant loops, or below all loops.
CompactMapping OperandTraffic::cut_mapping(bool below) const {
  CompactMapping mapping;
  int inner = 0;
  for (const bool irrelevant : {below, !below}) {
    for (const RemainingLoop& loop : loops_) {
      if ((table_.relevancy[loop.dimension] == Relevancy::irrelevant) != irrelevant) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop.dimension);
      mapping.size[mapping.loops++] = loop.size;
      if (below && irrelevant) ++inner;
    }
  }
  for (int level = 0; level < table_.levels; ++level) {
    mapping.stationary[operand_][level] =
        static_cast<std::uint8_t>(level + 1 < table_.levels ? inner : mapping.loops);
  }
  return mapping;
}

DataFootprint OperandTraffic::held(const SpatialTables& tables, bool below) const {
  const CompactMapping mapping = cut_mapping(below);
  DataFootprint held = footprint_of(tables_, tables, mapping, operand_, table_.levels);
  for (int level = 0; level <= table_.levels; ++level) {
    held.widths[level] = counted(held.widths[level]);
    held.widths_of_copies[level] = counted(held.widths_of_copies[level]);
  }
  return held;
}

/// With Counting::at_least results are no longer than sums.
ElementWidths OperandTraffic::counted(ElementWidths bits) const {
  if (counting_ == Counting::at_least) bits.result = std::min(bits.sum, bits.result);
  return bits;
}

OperandTraffic::Unrolled OperandTraffic::unrolled(const SpatialTables& tables) const {
  Unrolled unrolled{counted(tables[operand_]), held(tables, true), held(tables, false)};
  for (int level = 0; level < table_.levels; ++level) unrolled.kept[level] = kept(tables[operand_], level);
  return unrolled;
}

/// The unrolling with factors that do not lead to more elements in any order of the loops.
SpatialTable OperandTraffic::counted(const SpatialTable& unrolling) const {
  SpatialTable counted = unrolling;
  if (counting_ == Counting::as_modelled || !tables_.whole_units) return counted;
  for (UnrolledFactor& loop : counted.loops.all()) {
    if (table_.relevancy[loop.dimension] != Relevancy::irrelevant && !is_exact(loop.factor))
      loop.factor *= 1 - rounding_tolerance;
  }
  return counted;
}

/// Partial sums of the output are held in memory `level` where irrelevant loops are unrolled above, and in
/// the lowest memory where there are irrelevant loops in time.
OperandTraffic::Kept OperandTraffic::kept(const SpatialTable& unrolled, int level) const {
  if (!table_.output || (level == 0 && repeats_ > 1)) return Kept::sums;
  bool once = false;
  for (int above = level + 1; above <= table_.levels; ++above) {
    for (const UnrolledFactor& loop : unrolled.loops[above]) {
      if (table_.relevancy[loop.dimension] != Relevancy::irrelevant) continue;
      if (loop.factor > 1) return Kept::sums;
      once = true;
    }
  }
  // With Rules::adds_up_once a loop that is unrolled once leaves sums, too.
  return once ? Kept::either : Kept::results;
}

/// All relevant loops, one of each kind, below all cuts. The sizes are to be filled in.
CompactMapping OperandTraffic::one_cut() const {
  CompactMapping mapping;
  for (const LoopKind& kind : lattice_.kinds())
    mapping.dimension[mapping.loops++] = static_cast<std::uint8_t>(kind.dimension);
  mapping.size.fill(1);
  mapping.stationary[operand_].fill(static_cast<std::uint8_t>(mapping.loops));
  return mapping;
}

void OperandTraffic::prepare(std::span<const std::size_t> multisets) {
  CompactMapping mapping = one_cut();
  for (const std::size_t multiset : multisets) {
    for (std::size_t kind = 0; kind < lattice_.kinds().size(); ++kind) {
      mapping.size[kind] = 1;
      for (int i = lattice_.count(multiset, kind); i-- > 0;)
        mapping.size[kind] *= lattice_.kinds()[kind].size;
    }
    tabulate(multiset, mapping);
  }
}

void OperandTraffic::prepare_all() {
  CompactMapping mapping = one_cut();
  std::vector<int> counts(lattice_.kinds().size(), 0);
  for (std::size_t multiset = 0; multiset < lattice_.size(); ++multiset) {
    tabulate(multiset, mapping);
    // The next multiset.
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      const LoopKind& loop = lattice_.kinds()[kind];
      if (counts[kind] < loop.count) {
        ++counts[kind];
        mapping.size[kind] *= loop.size;
        break;
      }
      counts[kind] = 0;
      mapping.size[kind] = 1;
    }
  }
}

void OperandTraffic::tabulate(std::size_t multiset, const CompactMapping& mapping) {
  const auto count = [&](Unrolled& unrolled) {
    const PerLevel<double> elements =
        elements_below(tables_, unrolled.table, mapping, operand_, table_.levels);
    for (int level = 1; level <= table_.levels; ++level)
      unrolled.elements[level][multiset] = counted_elements(tables_, elements[level]);
    if (unrolled.table.splits_window) {
      const PerLevel<double> copies = copies_of(tables_, unrolled.table, mapping, operand_, table_.levels);
      for (int level = 1; level <= table_.levels; ++level) unrolled.copies[level][multiset] = copies[level];
    }
    if (has_beside()) {
      const WidthsBelow found = widths_below(tables_, unrolled.table, mapping, operand_, table_.levels);
      for (int level = 1; level <= table_.levels; ++level) {
        unrolled.widths[level][multiset] = counted(found.own[level]);
        unrolled.widths_of_copies[level][multiset] = counted(found.of_copies[level]);
      }
    }
    if (table_.in_requests) {
      const Stretches found = stretches_of(tables_, unrolled.table, mapping, operand_, table_.levels);
      for (int level = 1; level <= table_.levels; ++level) {
        unrolled.stretch[level][multiset] = found.own[level];
        unrolled.common_stretch[level][multiset] = found.common[level];
      }
    }
    return elements;
  };
  if (with_integral_) count(integral_);
  const PerLevel<double> elements = count(fractional_);
  for (int level = 0; level < table_.levels; ++level) {
    const ElementWidths& element =
        has_beside() ? fractional_.widths[level + 1][multiset] : fractional_.held.widths[level + 1];
    const Kept kept = fractional_.kept[level];
    const double least = kept == Kept::sums      ? element.sum
                         : kept == Kept::results ? element.result
                                                 : std::min(element.sum, element.result);
    const double bits = elements[level + 1] * least;
    fits_[level][multiset] = bits <= table_.size[level] * (1 + rounding_tolerance);
  }
}

const OperandTraffic::Transfers& OperandTraffic::transfers(const Unrolled& unrolled, DataFootprint& held,
                                                           std::size_t multiset, const Periods& periods) {
  for (int level = 1; level < table_.levels; ++level) {
    held.elements[level] = unrolled.elements[level][multiset];
    if (unrolled.table.splits_window) held.copies[level] = unrolled.copies[level][multiset];
    if (has_beside()) {
      held.widths[level] = unrolled.widths[level][multiset];
      held.widths_of_copies[level] = unrolled.widths_of_copies[level][multiset];
    }
    if (!table_.in_requests) continue;
    held.stretch[level] = unrolled.stretch[level][multiset];
    held.common_stretch[level] = unrolled.common_stretch[level][multiset];
  }
  for (int level = 0; level < table_.levels; ++level)
    transfers_[level] = transfers_over(table_, held, level, periods[level], total_);
  return transfers_;
}

const OperandTraffic::Transfers& OperandTraffic::at(std::size_t multiset, bool integral) {
  Periods periods;
  periods.fill(period(multiset));
  periods[0] = !table_.output && same_data_free_ ? repeats_ : 1;
  inside_ = true;
  Unrolled& unrolled = integral ? integral_ : fractional_;
  return transfers(unrolled, unrolled.held, multiset, periods);
}

const OperandTraffic::Transfers& OperandTraffic::partial_at(std::size_t multiset, bool integral) {
  Periods periods;
  periods.fill(1);
  inside_ = false;
  Unrolled& unrolled = integral ? integral_ : fractional_;
  return transfers(unrolled, unrolled.partial, multiset, periods);
}

BoundaryEnergy OperandTraffic::energy(const Transfers& transfers, int boundary) const {
  const bool inside = inside_ && (boundary > 0 || (!table_.output && same_data_free_));
  return {table_, units_[inside ? 1 : 0], transfers[boundary], boundary};
}

PerLevel<double> OperandTraffic::energies(const Transfers& transfers) const {
  PerLevel<double> energies{};
  for (int boundary = 0; boundary < table_.levels; ++boundary)
    energies[boundary] = energy(transfers, boundary).of_all();
  return energies;
}

BoundaryCost OperandTraffic::costs_at(std::size_t multiset, int boundary, const CostModelOptions& options,
                                      bool without_loops) const {
  CompactMapping mapping;
  const auto put = [&](int dimension, std::int64_t size) {
    if (size == 1) return;
    mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(dimension);
    mapping.size[mapping.loops++] = size;
  };
  const auto irrelevant = [&](const RemainingLoop& loop) {
    return table_.relevancy[loop.dimension] == Relevancy::irrelevant;
  };
  std::array<std::int64_t, max_loop_dimensions> inner;
  inner.fill(1);
  for (std::size_t kind = 0; kind < lattice_.kinds().size(); ++kind)
    for (int i = lattice_.count(multiset, kind); i-- > 0;)
      inner[lattice_.kinds()[kind].dimension] *= lattice_.kinds()[kind].size;
  for (const RemainingLoop& loop : loops_)
    if (irrelevant(loop) && !without_loops) put(loop.dimension, loop.size);
  for (const RemainingLoop& loop : loops_) put(loop.dimension, inner[loop.dimension]);
  const int cut = mapping.loops;
  // A relevant loop ends the cycles for which the units keep an element.
  for (const RemainingLoop& loop : loops_)
    if (!irrelevant(loop)) put(loop.dimension, loop.size / inner[loop.dimension]);
  for (const RemainingLoop& loop : loops_)
    if (irrelevant(loop) && without_loops) put(loop.dimension, loop.size);
  for (int level = 0; level < table_.levels; ++level)
    mapping.stationary[operand_][level] =
        static_cast<std::uint8_t>(level + 1 < table_.levels ? cut : mapping.loops);
  return cost_of(tables_, options, mapping, operand_, boundary);
}

double OperandTraffic::lowest_bits(std::size_t multiset) const {
  const DataFootprint& held = integral_.held;
  const ElementWidths& element = has_beside() ? integral_.widths[1][multiset] : held.widths[1];
  return bits_of(table_, integral_.elements[1][multiset], element.of(!held.partial_sum[1]));
}

double crossing_energy(const BoundaryCost& cost) {
  if (cost.missing_port) return infinite;
  return (cost.energy[read_to_low] + cost.energy[write_from_low]) +
         (cost.energy[read_to_high] + cost.energy[write_from_high]);
}

PortionTimes portion_times(const BoundaryCost& cost, const StepCycles& step, int operand, int direction,
                           bool partial_sums_back) {
  PortionTimes times;
  times.once = static_cast<double>(cost.cycles[direction]);
  times.busy = cost.busy[direction];
  const auto add = [&](double cycles, std::int64_t period, std::int64_t count) {
    const auto portions = static_cast<double>(count);
    times.repeated += cycles * portions;
    times.stalls += std::max(0.0, cycles - step.made * static_cast<double>(period)) * portions;
  };
  if (cost.sizes.empty()) {
    add(cost.passing * static_cast<double>(cost.cycles[direction]), cost.period, cost.count - 1);
    if (!partial_sums_back) times.busy -= times.busy / static_cast<double>(cost.count);
    return times;
  }
  const PortionSize& once = operand == 0 ? cost.sizes.back() : cost.sizes.front();
  times.once = static_cast<double>(once.cycles[direction]);
  for (const PortionSize& size : cost.sizes)
    add(size.passing * static_cast<double>(size.cycles[direction]), size.period,
        size.count - (&size == &once ? 1 : 0));
  if (!partial_sums_back) times.busy -= once.port_cycles[direction];
  return times;
}

PortLoads::PortLoads(const SearchProblem& problem) : step_(problem.tables.step) {
  const CostTables& tables = problem.tables;
  const ExponentLattice& lattice = problem.space.lattice();
  for (std::size_t port = 0; port < tables.ports.size(); ++port) {
    for (const Service& service : tables.ports[port].services) {
      const std::optional<int> boundary = boundary_of(tables, service);
      if (!boundary) continue;
      const bool every_cycle = *boundary == 0 && (tables.operands[service.operand].output ||
                                                  !problem.given.options.same_data_free);
      loads.push_back({static_cast<int>(port), service.operand, *boundary,
                       static_cast<int>(service.direction), returns_partial_sums(tables, service),
                       every_cycle, std::vector<double>(lattice.size()),
                       std::vector<double>(lattice.size()), std::vector<double>(lattice.size())});
    }
  }
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    lowest_bits[operand].resize(lattice.size());
    share[operand].assign(tables.operands[operand].levels + 1, std::vector<double>(lattice.size()));
  }
  share_of_sums = share[0];
  iterations.resize(lattice.size());
  portions.resize(lattice.size());
  const bool ragged = has_ragged_tiles(tables, lattice);
  if (ragged)
    for (TransferLoad& load : loads) load.sizes.resize(lattice.size());
  for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
    const CompactMapping mapping = one_cut_mapping(tables, lattice, multiset);
    std::array<std::array<BoundaryCost, max_memory_levels>, max_operands> costs;  // by boundary
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      for (int level = 0; level <= tables.operands[operand].levels; ++level)
        costs[operand][level] = cost_of(tables, problem.given.options, mapping, operand, level);
    }
    const TilesBelow tiles = tiles_of(tables, lattice, multiset, mapping);
    iterations[multiset] = tiles.steps();
    portions[multiset] = tiles.portions();
    total = all_steps(tables, mapping);
    for (TransferLoad& load : loads) {
      const BoundaryCost& cost = costs[load.operand][load.boundary];
      if (load.partial_sums_back && !cost.partial_sum) continue;
      const int direction = load.direction;
      load.cycles[multiset] = cost.passing * static_cast<double>(cost.cycles[direction]);
      load.bandwidth[multiset] = cost.demand[direction];
      load.busy[multiset] = cost.busy[direction] / static_cast<double>(cost.count);
      if (ragged)
        load.sizes[multiset] =
            portion_times(cost, step_, load.operand, load.direction, load.partial_sums_back);
    }
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      lowest_bits[operand][multiset] = costs[operand][1].whole_bits;
      for (int boundary = 1; boundary <= tables.operands[operand].levels; ++boundary) {
        const double size = tables.operands[operand].size[boundary - 1];
        share[operand][boundary][multiset] = costs[operand][boundary].bits / size;
        if (operand == 0) share_of_sums[boundary][multiset] = costs[0][boundary].bits_of_sums / size;
      }
    }
  }
  computation = static_cast<double>(total) * step_.each();
  busy = std::ceil(static_cast<double>(total) * step_.of_one());
  drain = static_cast<double>(tables.drain);
  line_cycles = problem.model.boundaries().line_cycles();
  longest_windows = step_.longest(static_cast<double>(total));
}

PortLoads::PortLoads(const PortLoads& loads, const ArrayPace& pace) : PortLoads(loads) {
  pace_ = pace;
  computation = pace.cycles();
  average_pace = pace.average();
  busy = std::ceil(computation);
  longest_windows = pace.longest_periods();
}

double PortLoads::period(const TransferLoad& load, std::size_t multiset, std::int64_t kept) const {
  const std::int64_t loops = load.every_cycle ? 1 : iterations[multiset] / kept;
  if (pace_) return static_cast<double>(pace_->within(load.every_cycle ? 1 : iterations[multiset], loops));
  return static_cast<double>(step_.of(loops)) * step_.made;
}

TilesBelow tiles_of(const CostTables& tables, const ExponentLattice& lattice, std::size_t multiset,
                    const CompactMapping& one_cut) {
  // Below the cut there is a loop for each dimension.
  LastTiles dimensions = 0;
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind)
    if (lattice.count(multiset, kind) > 0) dimensions |= LastTiles{1} << lattice.kinds()[kind].dimension;
  return {tables, one_cut, std::popcount(dimensions)};
}

bool has_ragged_tiles(const CostTables& tables, const ExponentLattice& lattice) {
  return is_ragged(tables, one_cut_mapping(tables, lattice, lattice.full()));
}

CompactMapping one_cut_mapping(const CostTables& tables, const ExponentLattice& lattice,
                               std::size_t multiset) {
  std::array<std::int64_t, max_loop_dimensions> inner;
  std::array<std::int64_t, max_loop_dimensions> outer;
  inner.fill(1);
  outer.fill(1);
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopKind& loop = lattice.kinds()[kind];
    const int below = lattice.count(multiset, kind);
    for (int i = 0; i < loop.count; ++i) (i < below ? inner : outer)[loop.dimension] *= loop.size;
  }
  CompactMapping mapping;
  const auto put = [&](const auto& sizes) {
    for (std::size_t dimension = 0; dimension < max_loop_dimensions; ++dimension) {
      if (sizes[dimension] == 1) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(dimension);
      mapping.size[mapping.loops++] = sizes[dimension];
    }
  };
  put(inner);
  const auto cut = static_cast<std::uint8_t>(mapping.loops);
  // With a single memory there is no cut: a relevant loop of one iteration ends the cycles for which the
  // units keep an element.
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const OperandTable& table = tables.operands[operand];
    if (table.levels > 1) continue;
    for (const LoopKind& loop : lattice.kinds()) {
      if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop.dimension);
      mapping.size[mapping.loops++] = 1;
      break;
    }
  }
  put(outer);
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const int levels = tables.operands[operand].levels;
    for (int level = 0; level < levels; ++level) {
      mapping.stationary[operand][level] =
          level + 1 < levels ? cut : static_cast<std::uint8_t>(mapping.loops);
    }
  }
  return mapping;
}

}  // namespace zz::core
