#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/detail/exponent_lattice.hpp"
#include "core/search/optimal/detail/label_costs.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

/// How long one transfer of one operand occupies its port, by the loops below its boundary.
struct TransferLoad {
  int port;  ///< index into CostTables::ports
  int operand, boundary;
  int direction;  ///< core::Direction
  /// Returning partial sums: waited for neither before nor after the computation.
  bool partial_sums_back;
  bool every_cycle;               ///< over boundary 0, where every cycle asks for its own portion
  std::vector<double> cycles;     ///< for one portion, by multiset; 0: nothing moves
  std::vector<double> bandwidth;  ///< average bits per cycle, as for spare cycles of ports, by multiset
  std::vector<double> busy;       ///< cycles of the port for one portion, fractions too, by multiset
};

/// All transfers on all ports, with whole unrolling factors. The latency follows from these.
struct PortLoads {
  explicit PortLoads(const SearchProblem& problem);

  std::vector<TransferLoad> loads;
  std::vector<std::int64_t> iterations;  ///< of the loops of a multiset: the period of its boundaries
  std::int64_t total = 1;                ///< iterations of all temporal loops
  double computation = 0;                ///< cycles without stalls and loading
  double busy = 0;                       ///< the same in whole cycles
  double drain = 0;                      ///< cycles after the computation (CostTables)
  double longest_windows = 0;  ///< upper bound of the cycles in which a port's transfers are allowed
  /// Bits that the lowest memory of each operand holds, by multiset.
  std::array<std::vector<double>, max_operands> lowest_bits;
  /// Share of memory `boundary - 1` that the operand fills: [operand][boundary][multiset].
  std::array<std::vector<std::vector<double>>, max_operands> share;

  /// Portions that cross the boundary when it is closed at `multiset`.
  double count(const TransferLoad& load, std::size_t multiset) const {
    return static_cast<double>(load.every_cycle ? total : total / iterations[multiset]);
  }
  /// Cycles for which one portion is used, without those of the outermost `kept` iterations of the level
  /// below.
  double period(const TransferLoad& load, std::size_t multiset, std::int64_t kept = 1) const;

 private:
  double cycles_per_operation_;
};

/// A mapping with the loops of `multiset` innermost and every memory but the topmost of every operand cut
/// right above them. Over a boundary between two memories it moves the same data as any mapping that is cut
/// there above the same loops, so that the cost model itself fills the tables.
CompactMapping one_cut_mapping(const CostTables& tables, const ExponentLattice& lattice,
                               std::size_t multiset);

/// The boundaries of each operand (without boundary 0) that are closed before all loops are placed.
/// Memories above these hold the whole tensor, which is loaded, or off-loaded, once.
using FinalResidency = std::array<int, max_operands>;

/// How on-loading over a boundary of an input combines with that of the other input (InputLoading).
enum class Sharing {
  individual,
  half_shared,
  shared,
  forgotten,  ///< left out by highest_half_shared_only or shared_loading_forgotten (Rules)
};

/// Properties of one-time transfers that are the same for all residencies.
class OneTimeLoads {
 public:
  OneTimeLoads(const SearchProblem& problem, const PortLoads& loads);

  /// Always individual for the output.
  Sharing sharing(int operand, int boundary) const { return sharing_[operand][boundary]; }
  /// The units wait for the first, or the last, portion of this transfer.
  static bool waits_for(const TransferLoad& load) { return load.boundary > 0 && !load.partial_sums_back; }
  /// The transfer is made once.
  bool is_once(const FinalResidency& residency, const TransferLoad& load) const;
  /// Bounds of the bits per cycle that a repeated transfer needs of its port, by index of the load.
  double least_bandwidth(std::size_t load) const { return least_bandwidth_[load]; }
  double most_bandwidth(std::size_t load) const { return most_bandwidth_[load]; }

  /// Fill classes, from 1 on: sizes in the lowest memory that take the same cycles on every port are one
  /// class. 0: there are too many.
  std::uint16_t fill_class(int operand, std::size_t multiset) const { return class_of_[operand][multiset]; }
  double lowest_bits(int operand, std::uint16_t known_class) const { return bits_[operand][known_class]; }
  std::uint16_t classes(int operand) const { return static_cast<std::uint16_t>(bits_[operand].size() - 1); }
  bool all_classified(int operand) const { return all_classified_[operand]; }
  /// Bounds of the bits in the lowest memory.
  double least_lowest_bits(int operand) const { return least_lowest_bits_[operand]; }
  double most_lowest_bits(int operand) const { return most_lowest_bits_[operand]; }

 private:
  void classify(int operand);

  const SearchProblem& problem_;
  const PortLoads& loads_;
  std::array<std::vector<Sharing>, max_operands> sharing_;
  std::vector<double> least_bandwidth_, most_bandwidth_;
  std::array<double, max_operands> least_lowest_bits_, most_lowest_bits_{};
  std::array<std::vector<std::uint16_t>, max_operands> class_of_;  ///< by multiset
  std::array<std::vector<double>, max_operands> bits_;             ///< by class
  std::array<bool, max_operands> all_classified_{};
};

}  // namespace zz::core
