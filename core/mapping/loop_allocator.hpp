#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/loop_lattice.hpp"
#include "core/mapping/loop_order_batch.hpp"
#include "core/mapping/slice_table.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

/// Shares the loops of one order out over the memories, from the innermost memory up: each memory takes, of
/// all ways to fill it, the one that leaves least traffic for the memories above it.
///
/// Everything that does not depend on the order is tabulated in the constructor. Not thread-safe: scratch
/// space is part of the object.
class LoopAllocator {
 public:
  LoopAllocator(const Layer& layer, const Accelerator& accelerator, const SpatialMapping& spatial_mapping,
                MappingType type);

  /// Tells that from now on allocate() is only given orders of these loops, with their kinds. Tables then
  /// replace most of the arithmetic; the cuts are the same. Without effect for nullptr, and where rounding
  /// would let a table differ from the arithmetic, which only some fractional unrollings do.
  void expect(std::shared_ptr<const LoopLattice> lattice);

  /// True where it is certain, by the tables, that allocate() never fails.
  bool always_fits() const;
  /// With tables: how an operand uses one of its memories.
  struct MemoryView {
    double capacity = 0;   ///< bits
    bool topmost = false;  ///< holds the rest, whatever it is
    double top_bits = 0;   ///< of the whole tensor, where topmost
    /// 0: as partial sums or inputs, 1: as finished outputs. Without entries where they do not apply.
    const std::array<SliceTable, 2>* slices = nullptr;
  };
  MemoryView memory_view(int operand, int level) const;

  /// Fills the cuts of `mapping` for the loops that it holds. False: some memory is too small; then
  /// failed_memory() and failed_operand() tell which.
  bool allocate(CompactMapping& mapping);

  int failed_memory() const { return failed_memory_; }
  int failed_operand() const { return failed_operand_; }
  int levels(int operand) const { return static_cast<int>(operands_[operand].spatial.size()) - 1; }

 private:
  struct SpatialFactor {
    int dimension;
    double factor;
  };
  struct Relation {
    WindowPositions positions;
    int output_loop, filter_loop;  ///< index into Layer::loops, -1 when the layer has no such loop
  };
  struct Operand {
    std::vector<int> relevant;  ///< loop dimensions, in the order of the operand's brackets
    bool has_relations = false;
    bool output = false;
    double precision = 0, final_precision = 0;
    std::array<bool, max_loop_dimensions> irrelevant{};
    std::array<bool, max_loop_dimensions> sizes{};    ///< a loop of the dimension makes the tensor larger
    std::vector<std::vector<SpatialFactor>> spatial;  ///< by level
    std::vector<bool> irrelevant_above;  ///< an irrelevant loop is unrolled at this level or above
  };
  using Products = std::array<double, max_loop_dimensions>;  ///< iterations so far, by loop dimension
  struct Node {
    int memory;
    double capacity;                       ///< bits
    std::vector<int> operands;             ///< of the layer, in the memory's order
    std::array<bool, max_operands> top{};  ///< by place in `operands`: the memory is its topmost
    bool takes_the_rest = false;           ///< with tables: topmost of all its operands, which fit together
  };
  /// What is known of an operand while the memories are walked.
  struct Progress {
    int level = 0;      ///< of the next memory
    int allocated = 0;  ///< loops held so far
    Products products;
  };
  /// The ways in which one operand can use a memory: with `first + i` more loops it holds bits[i].
  struct Slices {
    int first = 0;
    int count = 0;
    bool falling = true;  ///< more loops never leave more traffic, after rounding
    std::array<double, max_temporal_loops + 1> bits;
    std::array<double, max_temporal_loops + 1> traffic;
  };

  double tensor_elements(const Operand& operand, const Products& products) const;
  double element_bits(const Operand& operand, const Progress& progress,
                      const CompactMapping& mapping) const;
  bool fill_slices(const Node& node, std::size_t which, const CompactMapping& mapping);
  bool fill_top(const Node& node, std::size_t which, const CompactMapping& mapping);
  bool choose(const Node& node);
  bool admissible(const Node& node, const std::array<int, max_operands>& index) const;
  bool visit(const Node& node, CompactMapping& mapping);
  void merge_down(CompactMapping& mapping) const;

  // With tables (tabulated_allocation.cpp).
  struct OperandTables {
    /// By memory level, then 0: as partial sums or inputs, 1: as finished outputs. The topmost memory holds
    /// the whole tensor whatever the order, so that one number does.
    std::vector<std::array<SliceTable, 2>> levels;
    std::array<double, 2> top_bits{};
  };
  struct LoopKind {
    LoopLattice::Point stride = 0;
    std::uint64_t irrelevant = 0;  ///< LoopSets::first_of() those to which it is
  };
  bool tabulate(int operand);
  bool allocate_by_tables(CompactMapping& mapping);
  bool visit_by_tables(const Node& node, CompactMapping& mapping);
  bool find_end(const Node& node, std::size_t which, int loops);
  void list_slices(const Node& node, std::size_t which, int loops);
  bool finished(int operand) const;
  void merge_down_by_masks(CompactMapping& mapping) const;

  MappingType type_;
  int dimensions_;
  std::vector<Operand> operands_;
  std::vector<Relation> relations_;
  std::vector<Node> nodes_;
  std::array<Progress, max_operands> progress_;
  std::array<Slices, max_operands> slices_;     ///< by position in Node::operands
  std::array<int, max_operands> chosen_;        ///< further loops, by position in Node::operands
  std::shared_ptr<const LoopLattice> lattice_;  ///< null: no tables
  std::vector<OperandTables> tables_;           ///< by operand
  std::vector<LoopKind> kinds_;
  // Of the order at hand.
  std::array<LoopLattice::Point, max_temporal_loops + 1> points_;  ///< below each loop, and above all
  LoopSets irrelevant_loops_;
  std::array<const SliceTable*, max_operands> slice_table_;  ///< by position in Node::operands
  std::array<int, max_operands> end_;  ///< of the largest slice, by position in Node::operands
  int failed_memory_ = -1;
  int failed_operand_ = -1;
};

/// "memory 'l1' (64 bits) is too small for operand W", for a user; empty when `memory` is -1. `operand` -1:
/// all operands that share it.
std::string allocation_failure(const Layer& layer, const Accelerator& accelerator, int memory, int operand);

}  // namespace zz::core
