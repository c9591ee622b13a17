#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/loop_order_batch.hpp"
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
    double capacity;            ///< bits
    std::vector<int> operands;  ///< of the layer, in the memory's order
    std::vector<bool> top;      ///< the memory is the topmost of that operand
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

  MappingType type_;
  int dimensions_;
  std::vector<Operand> operands_;
  std::vector<Relation> relations_;
  std::vector<Node> nodes_;
  std::array<Progress, max_operands> progress_;
  std::array<Slices, max_operands> slices_;  ///< by position in Node::operands
  std::array<int, max_operands> chosen_;     ///< further loops, by position in Node::operands
  int failed_memory_ = -1;
  int failed_operand_ = -1;
};

/// "memory 'l1' (64 bits) is too small for operand W", for a user; empty when `memory` is -1. `operand` -1:
/// all operands that share it.
std::string allocation_failure(const Layer& layer, const Accelerator& accelerator, int memory, int operand);

}  // namespace zz::core
