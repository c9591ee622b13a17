#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/search/temporal/allocation_problem.hpp"
#include "core/workload/layer.hpp"

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
    /// An entry that fits with more loops never leaves more traffic than others, rounding included.
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

/// The ways in which one operand can use a memory: with `first + i` loops more than it holds below, it
/// takes bits[i] there and leaves traffic[i] for the memories above.
struct MemoryShares {
  int held = 0;  ///< loops below
  int first = 0;
  int count = 0;
  bool falling = true;  ///< more loops never leave more traffic, after rounding
  std::array<double, max_temporal_loops + 1> bits;
  std::array<double, max_temporal_loops + 1> traffic;  ///< bits times the iterations of the loops above
};

/// Chooses one of the shares of each operand: of all combinations that fit into the memory, the one that
/// leaves least traffic, and of equally good ones the one with most loops of the first operands. The `tied`
/// ones, one bit each, take loops up to the same one (Memory::shared_tiles). `further` becomes the loops
/// that each operand takes. False: no combination fits.
bool share_memory(std::span<const MemoryShares> shares, double capacity, MappingType type, unsigned tied,
                  std::array<int, max_operands>& further);

/// Why an order cannot be shared out.
struct AllocationFailure {
  int memory = -1;   ///< index into Accelerator::memories
  int operand = -1;  ///< that the memory is too small for; -1: all that share it
};

/// Shares the loops of one order out over the memories, greedily from the innermost memory up: each memory
/// takes, of all ways to fill it, the one that leaves least traffic for the memories above it.
/// (A. Symons, L. Mei, M. Verhelst: LOMA, AICAS 2021.)
///
/// Not thread-safe: scratch space is part of the object. Copies share what does not depend on the order.
class LoopAllocator {
 public:
  LoopAllocator(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
                MappingType type, const Rules& rules);

  /// Tells that from now on allocate() is only given orders of these loops, with their kinds. Tables then
  /// remember what memories would hold; the cuts are the same. Without effect for nullptr, and where
  /// rounding would let a table differ from the arithmetic, which only some fractional unrollings do.
  void expect(std::shared_ptr<const LoopLattice> lattice);

  /// Fills the cuts of `mapping` for the loops that it holds. False: some memory is too small, which
  /// failure() tells.
  bool allocate(CompactMapping& mapping);

  const AllocationFailure& failure() const { return failure_; }
  MappingType type() const { return type_; }
  int levels(int operand) const { return static_cast<int>(problem_->operands[operand].spatial.size()) - 1; }

 private:
  /// Knowledge of an operand while the memories are walked.
  struct Progress {
    int level = 0;      ///< of the next memory
    int allocated = 0;  ///< loops held so far
    AllocationProblem::Products products;
  };

  bool find_shares(std::size_t node, std::size_t which, const CompactMapping& mapping);
  void look_up_shares(const AllocationTables::Shares& table, double capacity, const CompactMapping& mapping,
                      MemoryShares& shares) const;
  void compute_shares(const AllocationProblem::Operand& operand, const Progress& progress, bool finished,
                      double capacity, const CompactMapping& mapping, MemoryShares& shares) const;
  void fill_top(const AllocationProblem::Operand& operand, const Progress& progress, bool finished,
                double capacity, const CompactMapping& mapping, MemoryShares& shares) const;
  bool visit(std::size_t node, CompactMapping& mapping);
  void take(const AllocationProblem::Operand& operand, Progress& progress, int loops,
            const CompactMapping& mapping);
  void merge_down(CompactMapping& mapping) const;

  MappingType type_;
  std::shared_ptr<const AllocationProblem> problem_;
  std::shared_ptr<const AllocationTables> tables_;
  std::array<Progress, max_operands> progress_;
  std::array<MemoryShares, max_operands> shares_;                      ///< by number in the node
  std::array<LoopLattice::Point, LoopLattice::most_loops + 1> point_;  ///< below each position; with tables
  AllocationFailure failure_;
};

/// "memory 'l1' (64 bits) is too small for operand W", for a user; empty when nothing failed. Where one
/// element is too large, it says what sets its bits.
std::string allocation_failure(const Layer& layer, const Accelerator& accelerator,
                               const AllocationFailure& failure);

/// The loops of an order, without cuts. Throws InputError when they are not the layer's, or too many.
CompactMapping compact_order(const Layer& layer, const std::vector<TemporalLoop>& order);
/// A mapping with the names of its layer's loops and operands, whose memories are on so many levels.
TemporalMapping named_mapping(const CompactMapping& mapping, const Layer& layer,
                              const SpatialMapping& spatial_mapping, MappingType type);

/// The one temporal mapping that allocates a given loop order (innermost first) to the memories.
/// Throws NoResult when it does not fit, InputError when its dimensions are not the layer's.
TemporalMapping allocate_loop_order(const Layer& layer, const Accelerator& accelerator,
                                    const SpatialMapping& spatial_mapping,
                                    const std::vector<TemporalLoop>& order, MappingType type,
                                    const Rules& rules);

}  // namespace zz::core
