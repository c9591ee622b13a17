#pragma once
#include <array>
#include <memory>
#include <vector>

#include "core/mapping/loop_lattice.hpp"
#include "core/mapping/loop_path.hpp"
#include "core/search/loma/allocation_problem.hpp"
#include "core/search/loma/dimension_products.hpp"
#include "core/search/loma/slice_table.hpp"

namespace zz::core {

/// How much each operand would hold in each memory, and leave to the memories above, by the point of a
/// lattice: what LoopAllocator computes for one order after the other, once for all of them. Immutable.
class AllocationTables {
 public:
  /// nullptr where rounding would let a table differ from the arithmetic, or a whole tensor does not fit
  /// into its topmost memory.
  static std::shared_ptr<const AllocationTables> make(const AllocationProblem& problem,
                                                      std::shared_ptr<const LoopLattice> lattice);

  /// An operand at one of its memories.
  struct Place {
    int operand = 0, level = 0;
    bool top = false;         ///< the topmost memory: it holds the rest, whatever that is
    bool may_finish = false;  ///< outputs leave it finished once no irrelevant loop lies above
    /// 0: as partial sums or inputs, 1: as finished outputs. The whole tensor, where topmost.
    std::array<double, 2> top_bits{};
    /// The same, of any other memory; without entries where they do not apply.
    std::array<SliceTable, 2> slices;

    double most_top_bits() const { return top_bits[0] > top_bits[1] ? top_bits[0] : top_bits[1]; }
  };
  struct Node {
    int memory = 0;               ///< index into Accelerator::memories
    double capacity = 0;          ///< bits
    bool takes_the_rest = false;  ///< topmost of all its operands, which fit together
    std::vector<Place> places;    ///< in the memory's order
  };

  const LoopLattice& lattice() const { return *lattice_; }
  const std::vector<KindTraits>& kinds() const { return kinds_; }  ///< of the lattice
  const std::vector<Node>& nodes() const { return nodes_; }        ///< from the innermost memory up
  int levels(int operand) const { return levels_[operand]; }
  int operands() const { return operands_; }

  /// An operand's memory of a level.
  struct PlaceView {
    const Node& node;
    const Place& place;
  };
  PlaceView at(int operand, int level) const;

  /// True where it is certain that every order can be shared out, if operands that share a memory may cut
  /// at different loops.
  bool always_fit() const;

 private:
  AllocationTables() = default;
  bool fill(const AllocationProblem& problem);
  bool fill_operand(const AllocationProblem& problem, int operand,
                    const std::vector<DimensionPlaces>& dimensions,
                    const std::vector<double>& iterations_above);  ///< by point
  double most_at_start(const Place& place) const;

  std::shared_ptr<const LoopLattice> lattice_;
  std::vector<KindTraits> kinds_;
  std::vector<Node> nodes_;
  std::array<int, max_operands> levels_{};
  int operands_ = 0;
};

}  // namespace zz::core
