#pragma once
#include <array>
#include <memory>
#include <vector>

#include "core/mapping/loop_lattice.hpp"
#include "core/search/temporal/allocation_problem.hpp"

namespace zz::core {

/// The bits that each operand would hold in each memory and the traffic that it would leave to the memories
/// above, by the point of a lattice. They spare LoopAllocator the same arithmetic for each order.
/// Immutable.
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
    /// Of the entries that fit, one with more loops never leaves more traffic, rounding included.
    bool falling = true;
  };
  /// An operand at one of its memories. 0: as partial sums or inputs, 1: as finished outputs.
  struct Held {
    std::array<double, 2> whole_bits{};  ///< of the whole tensor; where topmost
    std::array<Shares, 2> shares;        ///< of any other memory
  };
  const LoopLattice& lattice() const { return *lattice_; }
  /// The operand with this number in the problem's node.
  const Held& held(std::size_t node, std::size_t number) const { return held_[node][number]; }

 private:
  AllocationTables() = default;
  bool fill(const AllocationProblem& problem);
  bool fill_operand(const AllocationProblem& problem, int operand, const std::vector<double>& above);

  std::shared_ptr<const LoopLattice> lattice_;
  std::vector<std::vector<Held>> held_;
};

}  // namespace zz::core
