#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/tile_bits.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

/// A layer's operands and the memories that hold them, as numbers and indices. Nothing here depends on the
/// order of the loops.
struct AllocationProblem {
  struct Operand {
    std::vector<int> relevant;  ///< loop dimensions, in the order of the operand's brackets
    bool has_relations = false;
    bool output = false;
    HeldBits bits;
    std::array<bool, max_loop_dimensions> irrelevant{};
    std::array<bool, max_loop_dimensions> sizes{};  ///< a loop of the dimension makes the tensor larger
    UnrolledLevels spatial;
    /// An irrelevant loop is unrolled at this level or above.
    std::array<bool, max_memory_levels + 1> irrelevant_above{};

    /// By level: the memory has tiles of this input together with those of another one
    /// (Memory::shared_tiles).
    std::array<bool, max_memory_levels> shares_tiles{};
  };
  /// An operand at one of its memories.
  struct Held {
    int operand, level;
    bool top;  ///< it is the operand's topmost memory
  };
  struct Node {
    int memory;              ///< index into Accelerator::memories
    double capacity;         ///< bits
    std::vector<Held> held;  ///< in the memory's order
    unsigned tied = 0;       ///< those whose Operand::shares_tiles is set here, by position, one bit each
  };
  using Products = std::array<double, max_loop_dimensions>;  ///< iterations, by loop dimension

  /// Throws InputError when layer, accelerator and spatial mapping do not belong together.
  AllocationProblem(const Layer& layer, const Accelerator& accelerator,
                    const SpatialMapping& spatial_mapping, const Rules& rules);

  /// The iterations that an unrolled loop brings in the fullest round: of 3.5 on average, 4. With
  /// Rules::room_of_average_round the average.
  double in_a_round(const UnrolledFactor& loop) const;
  /// The iterations that are unrolled at `level` of the operand and below, in such a round.
  Products unrolled_below(const Operand& operand, int level) const;

  /// The elements of the operand's tensor that these iterations touch. Full rounds may have more iterations
  /// than the layer: those are none.
  double tensor_elements(const Operand& operand, const Products& iterations) const;

  /// The bits that the operand needs in a memory, which is at this level of it, with these iterations there
  /// and below.
  double needed_bits(const Operand& operand, int level, const Products& iterations, bool finished) const {
    return operand.bits.at(level, finished).of_room(tensor_elements(operand, iterations), [&](int loop) {
      return std::min(iterations[loop], most[loop]);
    });
  }

  /// True when outputs are finished before they come to memory `level`, with the innermost `below` loops of
  /// `mapping` below the memory's lower cut: neither a loop nor an unrolling above adds to them. A memory
  /// in which outputs are still summed up holds partial sums.
  bool is_finished(const Operand& operand, int level, int below, const CompactMapping& mapping) const;

  int dimensions = 0;           ///< of the layer's loops
  bool average_rounds = false;  ///< Rules::room_of_average_round
  Products most{};              ///< iterations of the layer; infinite with that rule
  std::vector<Operand> operands;
  std::vector<Window> windows;
  std::vector<Node> nodes;  ///< from the innermost memory up
};

}  // namespace zz::core
