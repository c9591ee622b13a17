#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/cost/cost_model_options.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/data_footprint.hpp"
#include "core/cost/rounding.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

/// Traffic from one level to another, per portion of data. All zero: nothing moves.
struct LevelTransfer {
  double elements = 0;         ///< moved per portion
  double precision = 0;        ///< bits per element, with what is stored beside it
  bool finished = false;       ///< results, and no partial sums
  std::int64_t period = 0;     ///< cycles per portion
  std::int64_t count = 0;      ///< portions over the whole layer
  std::int64_t bandwidth = 0;  ///< bits per cycle on average, cut to whole bits
  /// Share of the portions that take time: over the boundary at the units none whose rounds are all skipped
  /// (WorkLeft). At most so many, and exact for portions of one round. Accesses are those of all.
  double passing = 1;
  /// Elements of these that follow each other in memory; with OperandTable::in_requests.
  double stretch = 0;
};

/// The transfers over one boundary: towards the units, and away from them, behind the adders on the way.
struct Crossing {
  LevelTransfer down, up;
};

/// The transfers over the lower boundary of an architecture level, whose footprint must be known: a portion
/// every `period` of `total_cycles` cycles. `common`: the memory above sees the distinct portions of the
/// footprint that pass at once; else the one below a single one.
Crossing crossing(const OperandTable& operand, const DataFootprint& footprint, int level, bool common,
                  std::int64_t period, std::int64_t total_cycles);

/// The transfers over the lower boundary of an architecture level by direction: to and from the level below
/// at the memory above the boundary, to and from the level above at the memory below it. Nothing moves over
/// the boundary above the topmost memory.
PerDirection<LevelTransfer> transfers_over(const OperandTable& operand, const DataFootprint& footprint,
                                           int level, std::int64_t period, std::int64_t total_cycles);

/// The memory level at which a transfer over the lower boundary of an architecture level is made.
inline int memory_at(int level, int direction) {
  return direction == read_to_low || direction == write_from_low ? level : level - 1;
}

/// Accesses that one portion takes in one instance of the memory, also fractions of one: an access moves
/// bandwidth_max bits; a transfer is padded to multiples of bandwidth_min and charged pro rata.
double portion_accesses(const LevelTransfer& transfer, const TransferPort& port);
/// Units of an architecture level that take a portion, on average over the rounds. `inside(loop)`: the
/// portion lasts for several iterations of the loop in time. Where rounds of a loop that is irrelevant to
/// the operand lie inside a portion, each unit that works in any of them takes it: of 3 iterations on 2
/// units in two rounds, 2 and not 1.5.
template <class Inside>
double taking_units(const OperandTable& operand, const SpatialTable& unrolling, int level,
                    const Inside& inside) {
  double units = unrolling.unit_count[static_cast<std::size_t>(level)];
  if (!unrolling.works_in_part) return units;
  for (int above = level; above <= operand.levels; ++above) {
    for (const UnrolledFactor& loop : unrolling.loops[static_cast<std::size_t>(above)]) {
      if (operand.relevancy[loop.dimension] == Relevancy::irrelevant && inside(loop.dimension))
        units *= std::ceil(snapped(loop.factor)) / loop.factor;
    }
  }
  return snapped(units);
}

/// Accesses of `count` such portions in all `units` instances of the memory together (taking_units).
double accesses_of(double portion_accesses, double count, double units);
/// The same cut to whole ones, of which sizes of portion are summed up first.
inline std::int64_t count_accesses(double portion_accesses, double count, double units) {
  return truncate(accesses_of(portion_accesses, count, units));
}

/// Cycles of the requests for one portion, which are as many for each stretch as this takes, also fractions
/// of one; 0 where the port makes none (Port::request).
double request_cycles(const LevelTransfer& transfer, const TransferPort& port);

/// Cycles of the port for one portion, which may share one with others: accesses, or requests where these
/// take longer.
double portion_cycles(const LevelTransfer& transfer, const TransferPort& port);

/// The same where nothing is shared: whole cycles for which one portion occupies its port; 0 without a
/// port.
std::int64_t port_cycles(const LevelTransfer& transfer, const TransferPort& port);

/// Bits per cycle that a repeated transfer takes from its port while the units compute, requests in bits of
/// its whole bandwidth for as long as they last.
double port_demand(const LevelTransfer& transfer, const TransferPort& port, const StepCycles& step);

/// The innermost loops, held by the lowest memory, that are irrelevant to the operand: for their iterations
/// a unit uses the same element.
int repeated_loops(const CostTables& tables, const CompactMapping& mapping, int operand);
/// The steps of these loops, on average over all tiles.
double repeats_at_units(const CostTables& tables, const CompactMapping& mapping, int operand);

/// Loops below an architecture level's boundary without the outermost loops of the level, as far as all of
/// them are of this relevancy.
int without_outer_loops(const CostTables& tables, const CompactMapping& mapping, int operand, int level,
                        Relevancy relevancy);
/// Iterations of these outermost loops in a first portion: of a tile of 197 rounds in tiles of 50, 3.94.
double outer_iterations(const CostTables& tables, const CompactMapping& mapping, int operand, int level,
                        Relevancy relevancy);

/// Portions of one size, where tiles do not divide their loop.
struct PortionSize {
  LastTiles last = 0;                   ///< the dimensions that are in their last tiles
  std::int64_t period = 0, count = 0;   ///< as those of a BoundaryCost
  PerDirection<std::int64_t> cycles{};  ///< of its port for one portion
  PerDirection<double> port_cycles{};   ///< the same where portions share cycles
  double passing = 1;                   ///< LevelTransfer::passing
};

/// Cost for an operand of data that cross the lower boundary of an architecture level (level 0: between the
/// units and the lowest memory). Directions towards the units belong to the memory above the boundary,
/// those away from them to the memory below it.
struct BoundaryCost {
  /// Cycles for which the first portion, which is whole, is used below (CostTables::period_of()), without
  /// what ArrayPace makes of them.
  std::int64_t period = 0;
  std::int64_t count = 0;                 ///< portions over the whole layer
  PerDirection<std::int64_t> accesses{};  ///< for the whole layer, of all instances
  PerDirection<double> uncut{};           ///< the same before they are cut to whole ones
  PerDirection<double> energy{};          ///< pJ for the whole layer
  PerDirection<std::int64_t> cycles{};    ///< of its port for the first portion; 0 without a port
  PerDirection<double> demand{};          ///< bits per cycle that a repeated transfer takes from its port
  /// Cycles of its port for all portions, which may share cycles. Of the sums that go back to the units
  /// those that were there before: visits less elements.
  PerDirection<double> busy{};
  double bits = 0;          ///< in one unit below, in the fullest round
  double bits_of_sums = 0;  ///< the same where the unit sums them up (held_bits)
  /// Bits of the portion that is loaded first (of the output: off-loaded last), on average over the rounds,
  /// with whole factors.
  double whole_bits = 0;
  double passing = 1;         ///< LevelTransfer::passing, of the first portion
  bool partial_sum = false;   ///< partial sums come back through this boundary
  bool missing_port = false;  ///< something crosses that no port serves
  /// Where portions are not all alike: from the first one, which is whole, to the last.
  std::vector<PortionSize> sizes;

  /// Cycles of its port for the portion that moves before the units start or after they have finished: the
  /// first one down, the last one up.
  std::int64_t once(int direction, bool output) const {
    return output && !sizes.empty() ? sizes.back().cycles[direction] : cycles[direction];
  }
};

/// The cost of one boundary under a mapping, of which only the loops and the operand's own cuts count: the
/// tiles below the boundary (TilesBelow), how many there are, and which loops above come back to an output.
/// Words and cycles are those of each size of portion, rounded up by itself, times its number. Energy is
/// that of the fractional unrolling, times that of whole factors. (L. Mei et al.: ZigZag, IEEE TC 2021.)
/// Where rounds are uneven there are no fewer words than those of the single portions (UnevenPortions).
BoundaryCost cost_of(const CostTables& tables, const CostModelOptions& options,
                     const CompactMapping& mapping, int operand, int level);

/// True if it is the same by either rules, where the tables are: most rules are about what costs of
/// boundaries are together.
bool same_boundary_costs(const Rules& a, const Rules& b);

/// Bits that a memory has room for, by the costs of its lower and its upper boundary: where partial sums
/// come back through the lower one, outputs are summed up in the memory, which holds them with the
/// precision of sums. With Rules::sums_held_as_results it does not.
inline double held_bits(const BoundaryCost& low, const BoundaryCost& high) {
  return low.partial_sum ? high.bits_of_sums : high.bits;
}

/// pJ of a memory: what crosses its lower and its upper boundary.
double memory_energy(const BoundaryCost& low, const BoundaryCost& high);

}  // namespace zz::core
