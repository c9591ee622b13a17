#pragma once
#include <array>
#include <memory>
#include <vector>

#include "core/mapping/loop_lattice.hpp"
#include "core/search/loma/allocation_problem.hpp"

namespace zz::core {

/// How much each operand would hold in each memory, and leave to the memories above, by the point of a
/// lattice: remembers what LoopAllocator computes for one order after the other. Immutable.
class AllocationTables {
 public:
  /// nullptr where rounding would let a table differ from the arithmetic, or a whole tensor does not fit
  /// into its topmost memory.
  static std::shared_ptr<const AllocationTables> make(const AllocationProblem& problem,
                                                      std::shared_ptr<const LoopLattice> lattice);

  struct Entry {
    double bits = 0;
    double traffic = 0;  ///< bits times the iterations of the loops above
  };
  struct Shares {
    std::vector<Entry> at;  ///< by point of the loops below the memory's upper end
    /// Among what fits, one more loop never leaves more traffic, rounding included.
    bool falling = true;
  };
  /// An operand at one of its memories. 0: as partial sums or inputs, 1: as finished outputs.
  struct Place {
    std::array<double, 2> whole_bits{};  ///< of the whole tensor; where topmost
    std::array<Shares, 2> shares;        ///< of any other memory
  };
  const LoopLattice& lattice() const { return *lattice_; }
  /// Of the problem's nodes, by number, and their places.
  const Place& place(std::size_t node, std::size_t place) const { return places_[node][place]; }

 private:
  AllocationTables() = default;
  bool fill(const AllocationProblem& problem);
  bool fill_operand(const AllocationProblem& problem, int operand, const std::vector<double>& above);

  std::shared_ptr<const LoopLattice> lattice_;
  std::vector<std::vector<Place>> places_;
};

}  // namespace zz::core
