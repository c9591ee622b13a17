#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/cost/transfers.hpp"
#include "core/search/loma/loop_factors.hpp"
#include "core/search/optimal/exponent_lattice.hpp"

namespace zz::core {

/// What moves over the links of one operand under a spatial mapping, by the relevant loops below a link.
/// With all loops that are irrelevant to it below, each portion comes once: any order moves at least as
/// much over a link with the same relevant loops below, because its portions have as many elements, and
/// come as often or more often.
class OperandPortions {
 public:
  enum class Counting {
    as_modelled,  ///< as the cost model counts
    /// Never more than that: one element less where rounding of fractional factors could go either way,
    /// and where finished outputs are longer than partial sums, all as short as these.
    at_least,
  };

  /// `integral`: portions with whole factors are asked for too. `factors`: of the loops, prime ones.
  OperandPortions(const CostTables& tables, const std::vector<RemainingLoop>& loops, int operand,
                  const std::vector<FactorTable>& factors, bool same_data_free, bool integral,
                  Counting counting = Counting::at_least);

  /// Makes these multisets known, or all: of others nothing may be asked. The last memory is asked only
  /// whether it holds all loops.
  void prepare(std::span<const std::size_t> vectors);
  void prepare_all();

  /// Multisets of the relevant loops.
  const ExponentLattice& lattice() const { return lattice_; }
  const OperandTable& table() const { return table_; }
  const SpatialTable& unrolling(bool integral) const { return *(integral ? integral_ : fractional_).table; }
  int levels() const { return table_.levels; }
  /// Iterations of all loops that are irrelevant to the operand.
  std::int64_t repeats() const { return repeats_; }
  std::int64_t total() const { return total_; }

  /// Memory `level` has room for the loops of the vector; also true where that is a matter of rounding.
  bool fits(int level, std::size_t vector) const { return fits_[level][vector]; }

  using Moved = PerLevel<PerDirection<LevelTransfer>>;
  /// Transfers of all memories, every link closed above the loops of `vector` and all irrelevant ones.
  /// `integral`: with whole factors. Valid until the next call.
  const Moved& at(std::size_t vector, bool integral);
  /// The same with all irrelevant loops above, where sums are partial. The counts are those of no loops
  /// below.
  const Moved& partial_at(std::size_t vector, bool integral);
  /// No loops below any link.
  const Moved& without_loops(bool integral) { return partial_at(0, integral); }
  /// Iterations of the loops below such a link.
  std::int64_t period(std::size_t vector) const { return repeats_ * iterations_[vector]; }
  /// Bits that the lowest memory holds.
  double first_bits(std::size_t vector) const;

 private:
  using Elements = PerLevel<std::vector<double>>;  ///< by architecture level and vector
  struct Unrolled {
    const SpatialTable* table;
    DataFootprint held, partial;  ///< but for the elements; irrelevant loops below or above
    Elements elements;
  };

  CompactMapping cut_mapping(bool below) const;
  DataFootprint held(const SpatialTables& tables, bool below) const;
  Unrolled unrolled(const SpatialTables& tables) const;
  class LevelCounter;
  void note(Unrolled& unrolled, int level, std::size_t vector, const LevelCounter& counter);
  double least_word(const SpatialTable& unrolled, int level) const;
  const Moved& transfers(const Unrolled& unrolled, DataFootprint& held, std::size_t vector,
                         const OperandCycles& cycles);

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
