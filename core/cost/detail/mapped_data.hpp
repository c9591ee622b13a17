#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {

/// Layer, accelerator and mapping as the auditor counts them, from the objects alone: no code is shared
/// with the cost model, so that a mistake there is no mistake here. Only the bits of a tile in a format
/// (TileBits) and the loop of blocks that name none (scale_axis()) are those of everybody. Everything must
/// outlive it.
///
/// Operands and levels are numbers: position in the equation, and memories from the lowest upwards.
class MappedData {
 public:
  MappedData(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& spatial,
             const TemporalMapping& temporal);

  std::size_t operands() const { return memories_.size(); }
  /// -1: the memory does not hold the operand.
  int level_of(std::size_t operand, const Memory& memory) const;

  bool is_topmost(std::size_t operand, std::size_t level) const {
    return level + 1 == memories_[operand].size();
  }

  /// Steps of the array: the last tiles of loops that their tiles do not divide are as short as they must
  /// be.
  double temporal_iterations() const;
  /// Share of them that are made, where zeros are skipped, from the elements that the units of a round
  /// have. At least so many where units at several places of a filter skip both inputs, or zeros are in a
  /// pattern: those that one unit makes.
  double rounds_made() const { return rounds_made_; }
  /// Cycles of the array: of each stay of data in its units, counted one by one.
  double array_cycles(const Accelerator& accelerator) const;
  double operations() const;  ///< multiply-accumulates of the layer
  double units() const;       ///< in use, on average over the rounds
  /// Iterations of a loop of the layer, unrolled and in time, as the operand sees them.
  double covered(std::size_t operand, std::size_t loop) const;
  /// Bits of the operand in one instance of the memory, in the fullest round, with what is stored beside
  /// its data; in a format those expected.
  double held_bits(std::size_t operand, std::size_t level) const;
  /// The same of the whole tensor, in the shorter of its precisions.
  double tensor_bits(std::size_t operand, std::size_t level) const;
  /// Times that the loops above the memory's lower cut, or its upper one, come back to an output.
  double visits(std::size_t level, bool above_upper_cut) const;
  /// Tiles of the operand that come to the memory, or leave it: those that the loops below its upper cut
  /// make of all loops.
  double tiles(std::size_t operand, std::size_t level) const;
  /// Instances of the memory in use, in the fullest round.
  double instances(std::size_t operand, std::size_t level) const;

  struct Served {
    std::size_t operand, level;
    Direction direction;
  };
  struct PortUse {
    const Memory* memory;
    const Port* port;
    std::vector<Served> served;
  };
  const std::vector<PortUse>& ports() const { return ports_; }
  /// Portions that move; at the units as few as they can be, where an input is kept.
  double portions(const Served& served) const;
  /// Those of them that are no smaller than any other.
  double whole_portions(const Served& served) const;
  /// Cycles of the requests that the port makes for all portions, on average over the rounds; at least so
  /// many where windows are cut. 0: it makes none.
  double request_cycles(const Port& port, const Served& served) const;
  /// Bits a cycle; 0 without a port.
  double port_width(std::size_t operand, std::size_t level, Direction direction) const;

 private:
  /// One dimension of a tensor: a loop, or the positions of a window.
  struct Extent {
    const DimensionRelation* relation;
    std::size_t loop, filter;
  };
  struct Unrolled {
    std::size_t loop, level;
    double factor;
  };

  struct SkippedZeros {
    std::size_t operand;
    double density;
  };

  double fewest_rounds(const OperationalArray& array) const;
  /// With so many units along each loop; from `loop` on they are an average over rounds.
  double rounds_with(const std::vector<SkippedZeros>& skipped, std::vector<double> units,
                     std::size_t loop) const;
  /// Temporal loops, counted from the innermost, in which the data of the operand that is assigned to a
  /// memory operand stay in the units.
  std::size_t stay_of(const std::string& memory_operand) const;
  /// The same of an operand. A loop of one iteration moves nothing.
  std::size_t loops_that_keep(std::size_t operand) const;
  /// Calls `visit(rounds, times)` for each size of what lies below a cut: rounds by loop of the layer, and
  /// how often it comes.
  template <class Visit>
  void for_each_tile(std::size_t cut, const Visit& visit) const;
  /// Rounds of a loop below a cut in a whole tile, and how many tiles there are.
  double tile(std::size_t loop, std::size_t cut) const;
  double tiles_of(std::size_t loop, std::size_t cut) const;
  double all_tiles(std::size_t cut) const;
  /// Temporal loops inside a portion.
  std::size_t loops_of_portion(const Served& served) const;
  /// Average units along an array dimension, rounded up.
  double units_along(const ArrayDimension& dimension) const;
  double fold_cycles(const OperationalArray& array) const;
  /// Cycles of all stays.
  double instruction_cycles(const ArrayInstruction& instruction) const;
  /// Number of a loop of the layer; their count for a name that it does not have.
  std::size_t number_of(const std::string& loop) const;
  void list_data(std::size_t operand);
  void list_memories(const Accelerator& accelerator);
  /// By loop of the layer, and 1 for those that it does not have.
  std::vector<double> iterations_below(std::size_t operand, std::size_t level) const;
  double elements(std::size_t operand, const std::vector<double>& iterations) const;
  /// Bits of an element, with its part of the scales and metadata of a tile of these iterations. `results`:
  /// of a finished output.
  double word(std::size_t operand, std::size_t level, bool results,
              const std::vector<double>& iterations) const;

  const Layer& layer_;
  const TemporalMapping& temporal_;
  std::vector<HeldBits> held_;                        ///< by operand; empty: no memory has a format
  double rounds_made_ = 1;                            ///< share of the rounds
  std::vector<std::size_t> timed_;                    ///< number of each temporal loop
  std::vector<double> walked_;                        ///< rounds of each loop of the layer
  std::vector<std::vector<Extent>> extents_;          ///< by operand
  std::vector<std::vector<bool>> addressed_;          ///< by operand and loop
  std::vector<std::vector<Unrolled>> unrolled_;       ///< by operand
  std::vector<std::vector<const Memory*>> memories_;  ///< by operand and level
  std::vector<PortUse> ports_;
  std::vector<std::vector<std::array<double, direction_count>>> width_;  ///< by operand and level
};

/// Distinct values of stride * a + dilation * b for 0 <= a < steps and 0 <= b < taps, counted one b after
/// the other; at least so many where there are too many to count.
double distinct_values(std::int64_t stride, std::int64_t steps, std::int64_t dilation, std::int64_t taps);

}  // namespace zz::core
