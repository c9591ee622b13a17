#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/array_pace.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/imc/imc_layer_energy.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/tile_bits.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {

struct UnrolledFactor {
  int dimension;  ///< index into Layer::loops
  double factor;
};

/// The unrolled loops of one operand by level, as OperandSpatialMapping lists them, without text.
class UnrolledLevels {
 public:
  UnrolledLevels() = default;
  /// Takes at most max_memory_levels levels. Throws InputError where a loop is none of the layer.
  UnrolledLevels(const Layer& layer, const OperandSpatialMapping& mapping);

  std::size_t size() const { return levels_; }
  std::span<const UnrolledFactor> all() const { return loops_; }
  std::span<UnrolledFactor> all() { return loops_; }
  std::span<const UnrolledFactor> operator[](std::size_t level) const {
    const std::size_t begin = level == 0 ? 0 : ends_[level - 1];
    return {loops_.data() + begin, ends_[level] - begin};
  }

 private:
  std::vector<UnrolledFactor> loops_;  ///< of all levels
  std::array<std::uint32_t, max_memory_levels> ends_{};
  std::size_t levels_ = 0;
};

/// The tables of the cost model: everything about layer, accelerator and spatial mapping as numbers and
/// indices, so that evaluating a temporal mapping touches no text and allocates nothing.
///
/// Indices: operand = position in the equation (0 is the output); memory level m = 0 is the lowest memory
/// of the operand; architecture level l = m + 1, with l = 0 the arithmetic units.

template <class T>
using PerLevel = std::array<T, max_memory_levels>;
template <class T>
using PerDirection = std::array<T, direction_count>;
inline constexpr int read_to_low = static_cast<int>(Direction::read_to_low);
inline constexpr int write_from_low = static_cast<int>(Direction::write_from_low);
inline constexpr int read_to_high = static_cast<int>(Direction::read_to_high);
inline constexpr int write_from_high = static_cast<int>(Direction::write_from_high);

/// The bounds of a port as one transfer sees them; bandwidth_max 0: there is no port.
struct TransferPort {
  double bandwidth_min = 0;   ///< bits per cycle
  double bandwidth_max = 0;   ///< bits per cycle, and of an access
  double efficiency = 1;      ///< Port::efficiency
  double request_bits = 0;    ///< Port::request: of one at most
  double request_cycles = 0;  ///< that one takes; 0: the port makes none

  /// Bits per cycle that long transfers reach.
  double bandwidth() const { return bandwidth_max * efficiency; }
};

struct OperandTable {
  int levels = 0;  ///< number of memories
  bool output = false;
  bool has_relations = false;
  std::int64_t precision = 0;        ///< bits; of the output: of a partial sum
  std::int64_t final_precision = 0;  ///< bits of a finished output; else as precision
  HeldBits held;                     ///< the same with what is stored beside the data, by memory level
  std::int64_t elements = 0;         ///< of the whole tensor
  double made = 1;                   ///< StepCycles::made
  std::array<Relevancy, max_loop_dimensions> relevancy{};
  PerLevel<int> memory{};   ///< index into Accelerator::memories
  PerLevel<double> size{};  ///< bits
  PerLevel<PerDirection<TransferPort>> port{};
  PerLevel<PerDirection<double>> energy{};  ///< pJ per access
  PerLevel<int> share_group{};              ///< index into CostTables::share_groups, -1 when held alone
  bool in_requests = false;                 ///< some of its data pass a port that makes requests
  // With requests, the dimension along which its elements follow each other in memory (OperandLayout).
  int innermost_loop = -1;    ///< index into Layer::loops; -1: a window, or one element
  int innermost_window = -1;  ///< index into CostTables::windows
};

/// Spread of one operand over the units, on average over the rounds: 7 columns on 4 units are 3.5 in each
/// of two rounds.
struct SpatialTable {
  UnrolledLevels loops;           ///< by architecture level
  PerLevel<double> unit_count{};  ///< units at this architecture level
  /// Distinct data of this level's units for one unit of the level above, as far as the unrolled loops
  /// tell: see DataFootprint::copies.
  PerLevel<double> boost{};
  /// Output only: the units of this architecture level send sums that an adder above them adds up.
  PerLevel<bool> adds{};
  bool splits_window = false;            ///< both loops of a window are unrolled, at different levels
  bool has_rounds_of_two_sizes = false;  ///< some factor is no whole number
  bool works_in_part = false;  ///< units with the same data work in some rounds only: taking_units()
};
using SpatialTables = std::array<SpatialTable, max_operands>;

struct OperandLevel {
  int operand;
  int level;  ///< memory level
};

struct Service {
  int operand;
  int level;  ///< memory level
  Direction direction;
};

struct PortTable {
  double bandwidth;  ///< bits per cycle that long transfers reach (Port::bandwidth())
  bool serves_both_inputs;
  std::vector<Service> services;
  int memory, port;        ///< index into Accelerator::memories and Memory::ports
  double overlap = 1;      ///< Port::overlap
  double line_cycles = 0;  ///< for the first touch of the inputs that it reads (Port::line)
};

/// Inputs in one memory that are cut above it at the same loop (Memory::shared_tiles).
using SharedTiles = std::vector<OperandLevel>;

/// A memory that takes this long from one tile of the operand to the next (Memory::tile_interval).
struct TileInterval {
  OperandLevel at;
  double cycles;
};

/// Cycles after the last operation until its result has left the array: one for each unit behind the first
/// along each systolic dimension, by the layer's own unrolling.
std::int64_t drain_cycles(const OperationalArray& array, const Layer& layer);

struct CostTables {
  /// `integral` counts with Rules::data_in_whole_units only. Throws InputError where the layer does not fit
  /// the accelerator, and where rules ask for figures of ZigZag or Stream of a machine that these do not
  /// know.
  CostTables(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional,
             const SpatialMapping& integral, const Rules& rules);

  int operand_count = 0;
  int dimensions = 0;        ///< loops of the layer
  bool whole_units = false;  ///< Rules::data_in_whole_units
  std::array<OperandTable, max_operands> operands;
  /// The operand as whose tiles grow the loops of a dimension nest, those over units among those in time:
  /// the one whose windows slide, else the last. Each of its tiles has iterations that follow each other.
  int leading = 0;
  std::array<double, max_loop_dimensions> iterations{};  ///< of the layer's loops
  /// Rounds of the layer's loops in time, a bound for ragged tiles (TilesBelow): a chain of loops ends with
  /// them. Without bound where some rule gives figures of ZigZag or Stream, which have none.
  std::array<std::int64_t, max_loop_dimensions> rounds{};
  std::vector<Window> windows;
  std::array<int, max_loop_dimensions> window_of_loop{};  ///< -1: the loop is in none
  SpatialTables fractional;
  SpatialTables integral;
  bool same_unrolling = false;  ///< fractional and integral agree: one analysis serves both
  std::vector<std::vector<OperandLevel>> share_groups;
  std::vector<PortTable> ports;
  std::vector<TileInterval> tile_intervals;
  std::vector<SharedTiles> shared_tiles;  ///< from the innermost memory up
  /// pJ per multiply-accumulate, on average where zeros cost none (WorkLeft); not of in-memory computing.
  double unit_energy = 0;
  std::optional<ImcLayerEnergy> imc;  ///< cost of the operations instead of unit_energy
  std::int64_t mac_count = 0;
  std::int64_t unit_count = 0;
  StepCycles step;
  std::int64_t drain = 0;  ///< drain_cycles()
  ArrayTable array;        ///< cycles added to those of the steps

  /// Those of so many steps as BoundaryCost::period tells them: ArrayPace makes cycles of steps where keys
  /// of the array count.
  std::int64_t period_of(std::int64_t steps) const { return array.any() ? steps : step.of(steps); }
};

/// True if tables by either rules are the same: most rules are about what is made of them.
bool same_tables(const Rules& a, const Rules& b);

}  // namespace zz::core
