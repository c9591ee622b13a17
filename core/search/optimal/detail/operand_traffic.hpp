#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_tables.hpp"
#include "core/search/loma/loop_factors.hpp"
#include "core/search/optimal/detail/exponent_lattice.hpp"

namespace zz::core {

/// What one operand moves over its boundaries under a spatial mapping, by the loops relevant to it that are
/// below a boundary.
///
/// With all irrelevant loops below the boundary, each portion crosses it once. Any order with the same
/// relevant loops below moves at least as much: its portions have as many elements and come as often or
/// more often.
class OperandTraffic {
 public:
  enum class Counting {
    as_modelled,  ///< as the cost model counts
    /// Never more than that: one element less where fractional factors could be rounded either way, and all
    /// outputs as short as the shorter of partial sums and results.
    at_least,
  };

  /// `integral`: transfers with whole factors are asked for too. `factors`: of the loops, prime ones.
  OperandTraffic(const CostTables& tables, const std::vector<RemainingLoop>& loops, int operand,
                 const std::vector<FactorTable>& factors, bool same_data_free, bool integral,
                 Counting counting = Counting::at_least);

  /// Tabulates these multisets, or all. Nothing may be asked of others. Of the last memory only the fit of
  /// all loops is tabulated.
  void prepare(std::span<const std::size_t> multisets);
  void prepare_all();

  /// Multisets of the relevant loops.
  const ExponentLattice& lattice() const { return lattice_; }
  const OperandTable& table() const { return table_; }
  const SpatialTable& unrolling(bool integral) const { return *(integral ? integral_ : fractional_).table; }
  int levels() const { return table_.levels; }
  /// Iterations of all loops that are irrelevant to the operand.
  std::int64_t repeats() const { return repeats_; }
  std::int64_t total() const { return total_; }

  /// Memory `level` holds the loops of the multiset; also true where that is a matter of rounding.
  bool fits(int level, std::size_t multiset) const { return fits_[level][multiset]; }

  using Moved = PerLevel<PerDirection<LevelTransfer>>;
  /// Transfers of all memories, with every boundary above the loops of `multiset` and all irrelevant ones.
  /// `integral`: with whole factors. Valid until the next call.
  const Moved& at(std::size_t multiset, bool integral);
  /// The same with all irrelevant loops above, so that sums are partial. Counts are those of no loops
  /// below.
  const Moved& partial_at(std::size_t multiset, bool integral);
  /// No loops below any boundary.
  const Moved& without_loops(bool integral) { return partial_at(0, integral); }
  /// Energy (pJ) of transfers over each boundary; infinite where one needs a port that does not exist.
  PerLevel<double> energies(const Moved& moved) const;
  /// Iterations of the loops below such a boundary.
  std::int64_t period(std::size_t multiset) const { return repeats_ * iterations_[multiset]; }
  /// Bits in the lowest memory.
  double lowest_bits(std::size_t multiset) const;

 private:
  using Periods = PerLevel<std::int64_t>;          ///< by architecture level
  using Elements = PerLevel<std::vector<double>>;  ///< by architecture level and multiset
  struct Unrolled {
    const SpatialTable* table;
    DataFootprint held, partial;  ///< without the elements; irrelevant loops below or above
    Elements elements;
  };

  CompactMapping cut_mapping(bool below) const;
  DataFootprint held(const SpatialTables& tables, bool below) const;
  Unrolled unrolled(const SpatialTables& tables) const;
  class LevelCounter;
  void note(Unrolled& unrolled, int level, std::size_t multiset, const LevelCounter& counter);
  double least_word(const SpatialTable& unrolled, int level) const;
  const Moved& transfers(const Unrolled& unrolled, DataFootprint& held, std::size_t multiset,
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
  Moved moved_{};
};

}  // namespace zz::core
