#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/cost/tiles_below.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/label_setting.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/temporal/loop_factors.hpp"

namespace zz::core {

/// The energy of the transfers over one boundary, as a function of the number of portions that cross it.
class BoundaryEnergy {
 public:
  /// `units`: that take a portion, by architecture level.
  BoundaryEnergy(const OperandTable& operand, const PerLevel<double>& units,
                 const PerDirection<LevelTransfer>& transfers, int boundary);

  /// pJ, as cost_of() counts them; infinite where a transfer needs a port that does not exist.
  double of(double portions) const {
    return (of(read_to_low, portions) + of(write_from_low, portions)) +
           (of(read_to_high, portions) + of(write_from_high, portions));
  }
  /// pJ of the portions that the transfers were given with.
  double of_all() const { return of(portions_); }
  /// A lower bound where at least this share of the data of these portions crosses: cutting accesses to
  /// whole ones takes away no more than one access of each transfer.
  double at_least(double share) const;

 private:
  double of(int direction, double portions) const {
    const Access& access = accesses_[direction];
    if (access.of_portion == 0) return 0;
    return access.energy * static_cast<double>(count_accesses(access.of_portion, portions, access.units));
  }

  struct Access {
    double energy = 0;      ///< pJ
    double of_portion = 0;  ///< accesses in one instance
    double units = 0;       ///< instances
  };
  PerDirection<Access> accesses_{};
  double portions_ = 0;
};

/// The data that one operand moves over its boundaries under a spatial mapping, by the multiset of its
/// relevant loops below a boundary. Elements, transfers and accesses are counted by functions of core/cost;
/// nothing is counted here.
///
/// With all irrelevant loops below the boundary, each portion crosses it once. Any order with the same
/// relevant loops below moves at least as much: its portions have as many elements and come as often or
/// more often.
class OperandTraffic {
 public:
  enum class Counting {
    as_modelled,  ///< as the cost model counts
    /// Never more than that. Fractional factors count a little less, so that no amount is rounded up which
    /// another loop order rounds down. All outputs are as short as the shorter of partial sums and results.
    at_least,
  };

  /// `integral`: transfers with whole factors are asked for too. `factors`: of the loops, prime ones; of
  /// lengths (TileLengths) tiles need not divide the loops, and only costs_at() tells what is moved.
  OperandTraffic(const CostTables& tables, const std::vector<RemainingLoop>& loops, int operand,
                 const std::vector<FactorTable>& factors, bool same_data_free, bool integral,
                 Counting counting = Counting::at_least);

  /// Tabulates these multisets, or all. REQUIRES: nothing is asked about others.
  void prepare(std::span<const std::size_t> multisets);
  void prepare_all();

  /// Multisets of the relevant loops.
  const ExponentLattice& lattice() const { return lattice_; }
  const OperandTable& table() const { return table_; }
  const SpatialTable& unrolling() const { return tables_.fractional[operand_]; }
  int levels() const { return table_.levels; }
  /// Iterations of all loops that are irrelevant to the operand.
  std::int64_t repeats() const { return repeats_; }
  std::int64_t total() const { return total_; }

  /// Memory `level` holds the loops of the multiset; also true where that is a matter of rounding.
  bool fits(int level, std::size_t multiset) const { return fits_[level][multiset]; }

  using Transfers = PerLevel<PerDirection<LevelTransfer>>;  ///< by boundary
  /// Transfers over all boundaries, each above the loops of `multiset` and all irrelevant ones. `integral`:
  /// with whole factors. Valid until the next call.
  const Transfers& at(std::size_t multiset, bool integral);
  /// The same with all irrelevant loops above, so that sums are partial. Counts are those of no loops
  /// below.
  const Transfers& partial_at(std::size_t multiset, bool integral);
  /// No loops below any boundary.
  const Transfers& without_loops(bool integral) { return partial_at(0, integral); }
  /// The energy of the transfers that were asked for last.
  BoundaryEnergy energy(const Transfers& transfers, int boundary) const;
  /// pJ, by boundary.
  PerLevel<double> energies(const Transfers& transfers) const;
  /// The cost of a boundary above the loops of `multiset` and all irrelevant ones, or with `without_loops`
  /// below all loops, as the cost model has it.
  BoundaryCost costs_at(std::size_t multiset, int boundary, const CostModelOptions& options,
                        bool without_loops = false) const;
  /// Iterations of the loops below such a boundary.
  std::int64_t period(std::size_t multiset) const { return repeats_ * iterations_[multiset]; }
  /// Bits in the lowest memory.
  double lowest_bits(std::size_t multiset) const;

 private:
  using Periods = PerLevel<std::int64_t>;          ///< by architecture level
  using Elements = PerLevel<std::vector<double>>;  ///< and copies; by architecture level and multiset
  /// Data that a memory has in every mapping, or of which it may have either kind.
  enum class Kept { sums, results, either };
  struct Unrolled {
    SpatialTable table;
    DataFootprint held, partial;  ///< of no multiset; irrelevant loops below or above
    PerLevel<Kept> kept = {};     ///< by memory level
    Elements elements = {};
    Elements copies = {};                        ///< only where the unrolling splits a window
    Elements stretch = {}, common_stretch = {};  ///< only with requests
    /// Only where something is stored beside the data.
    PerLevel<std::vector<ElementWidths>> widths = {}, widths_of_copies = {};
  };

  void make_room(Unrolled& unrolled, int level) const;
  CompactMapping cut_mapping(bool below) const;
  DataFootprint held(const SpatialTables& tables, bool below) const;
  SpatialTable counted(const SpatialTable& unrolling) const;
  Unrolled unrolled(const SpatialTables& tables) const;
  CompactMapping one_cut() const;
  void tabulate(std::size_t multiset, const CompactMapping& mapping);
  bool has_beside() const { return table_.held.beside(); }
  ElementWidths counted(ElementWidths bits) const;
  Kept kept(const SpatialTable& unrolling, int level) const;
  const Transfers& transfers(const Unrolled& unrolled, DataFootprint& held, std::size_t multiset,
                             const Periods& periods);

  const CostTables& tables_;
  int operand_;
  OperandTable table_;
  bool same_data_free_;
  Counting counting_;
  bool with_integral_;
  std::vector<RemainingLoop> loops_;
  std::int64_t repeats_ = 1, total_ = 1;
  ExponentLattice lattice_;
  std::vector<std::int64_t> iterations_;
  PerLevel<std::vector<bool>> fits_;
  Unrolled fractional_, integral_;
  Transfers transfers_{};
  std::array<PerLevel<double>, 2> units_{};  ///< with irrelevant loops above, and inside a portion
  bool inside_ = false;                      ///< of transfers_
};

/// pJ of all that crosses a boundary; infinite where something needs a port that does not exist.
double crossing_energy(const BoundaryCost& cost);

/// Cycles of a port for a transfer whose portions are not all alike.
struct PortionTimes {
  double once = 0;      ///< of the portion that moves before or after all others
  double repeated = 0;  ///< of all others
  double stalls = 0;    ///< of these, those beyond the periods of their portions
  double busy = 0;      ///< as TransferLoad::busy, of all others together
};
/// `partial_sums_back`: all of them move between others.
PortionTimes portion_times(const BoundaryCost& cost, const StepCycles& step, int operand, int direction,
                           bool partial_sums_back);

/// Cycles that one transfer of one operand occupies its port, by the loops below its boundary.
struct TransferLoad {
  int port;  ///< index into CostTables::ports
  int operand, boundary;
  int direction;  ///< core::Direction
  /// Returning partial sums: waited for neither before nor after the computation.
  bool partial_sums_back;
  bool every_cycle;               ///< over boundary 0, where every cycle asks for its own portion
  std::vector<double> cycles;     ///< for the first portion, by multiset; 0: nothing moves
  std::vector<double> bandwidth;  ///< average bits per cycle, as for spare cycles of ports, by multiset
  std::vector<double> busy;       ///< as BoundaryCost::busy, shared out to the portions, by multiset
  /// Where tiles do not divide their loops and portions are not all alike, by multiset; else empty.
  std::vector<PortionTimes> sizes = {};
};

/// All transfers on all ports, with whole unrolling factors. The latency follows from these.
struct PortLoads {
  explicit PortLoads(const SearchProblem& problem);
  /// The same where the array has this pace.
  PortLoads(const PortLoads& loads, const ArrayPace& pace);

  std::vector<TransferLoad> loads;
  /// Steps of the loops of a multiset: the period of its boundaries, and how often it comes.
  std::vector<std::int64_t> iterations, portions;
  std::int64_t total = 1;      ///< steps of all temporal loops
  double computation = 0;      ///< array cycles; without a pace one step as long as the other
  double average_pace = 1;     ///< ArrayPace::average()
  double busy = 0;             ///< the same in whole cycles
  double drain = 0;            ///< cycles after the computation (CostTables)
  double line_cycles = 0;      ///< of the port that takes longest for lines that are touched first
  double longest_windows = 0;  ///< upper bound of the cycles in which a port's transfers are allowed
  /// Bits that the lowest memory of each operand holds, by multiset.
  std::array<std::vector<double>, max_operands> lowest_bits;
  /// Share of memory `boundary - 1` that the operand fills: [operand][boundary][multiset].
  std::array<std::vector<std::vector<double>>, max_operands> share;
  /// The same of outputs that are summed up there: [boundary][multiset].
  std::vector<std::vector<double>> share_of_sums;

  std::size_t memory_bytes() const { return loads.size() * 3 * iterations.size() * sizeof(double); }
  /// Portions that cross the boundary when it is closed at `multiset`.
  double count(const TransferLoad& load, std::size_t multiset) const {
    return static_cast<double>(load.every_cycle ? total : portions[multiset]);
  }
  /// Cycles of the portion that moves before or after all others, and of all others.
  double once(const TransferLoad& load, std::size_t multiset) const {
    return load.sizes.empty() ? load.cycles[multiset] : load.sizes[multiset].once;
  }
  double repeated(const TransferLoad& load, std::size_t multiset) const {
    return load.sizes.empty() ? load.cycles[multiset] * (count(load, multiset) - 1)
                              : load.sizes[multiset].repeated;
  }
  /// Cycles of these others beyond their periods, of which the outermost `kept` iterations are not counted;
  /// in portions that are not all alike these are.
  double stalls(const TransferLoad& load, std::size_t multiset, std::int64_t kept = 1) const {
    if (!load.sizes.empty()) return load.sizes[multiset].stalls;
    return std::max(0.0, load.cycles[multiset] - period(load, multiset, kept)) *
           (count(load, multiset) - 1);
  }
  /// Busy cycles of all portions but the one that moves before or after them.
  double repeated_busy(const TransferLoad& load, std::size_t multiset) const {
    return load.sizes.empty() ? load.busy[multiset] * (count(load, multiset) - 1)
                              : load.sizes[multiset].busy;
  }
  /// Cycles for which one portion is used, without those of the outermost `kept` iterations of the level
  /// below.
  double period(const TransferLoad& load, std::size_t multiset, std::int64_t kept = 1) const;

 private:
  StepCycles step_;
  std::optional<ArrayPace> pace_;
};

/// A mapping with the loops of `multiset` innermost and every memory but the topmost of every operand cut
/// right above them. Over a boundary between two memories it moves the same data as any mapping that is cut
/// there above the same loops, so that the cost model itself fills the tables.
CompactMapping one_cut_mapping(const CostTables& tables, const ExponentLattice& lattice,
                               std::size_t multiset);
/// The tiles below its cut.
TilesBelow tiles_of(const CostTables& tables, const ExponentLattice& lattice, std::size_t multiset,
                    const CompactMapping& one_cut);
/// Some tile of the lattice does not divide its loop.
bool has_ragged_tiles(const CostTables& tables, const ExponentLattice& lattice);

}  // namespace zz::core
