#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mapping/layer_mapping.hpp"
#include "core/mapping/spatial_mapping.hpp"

namespace zz::core {

/// A data transfer, seen from the memory. The order is that of every per-direction table and file.
enum class Direction : int {
  read_to_low = 0,      ///< read, towards the arithmetic units ("tl", "rd_out_to_low")
  write_from_low = 1,   ///< written from the side of the units ("fl", "wr_in_by_low")
  read_to_high = 2,     ///< read, towards the off-chip memory ("th", "rd_out_to_high")
  write_from_high = 3,  ///< written from the off-chip side ("fh", "wr_in_by_high")
};
inline constexpr int direction_count = 4;
inline constexpr std::array<const char*, direction_count> direction_names = {
    "rd_out_to_low", "wr_in_by_low", "rd_out_to_high", "wr_in_by_high"};
inline constexpr std::array<const char*, direction_count> direction_codes = {"tl", "fl", "th", "fh"};

inline bool is_read(Direction direction) {
  return direction == Direction::read_to_low || direction == Direction::read_to_high;
}
/// Away from the units.
inline bool is_upwards(Direction direction) {
  return direction == Direction::write_from_low || direction == Direction::read_to_high;
}

enum class PortType { read, write, read_write };

/// A memory operand and a direction that a port carries.
struct PortAllocation {
  std::string operand;
  Direction direction = Direction::read_to_low;

  bool operator==(const PortAllocation&) const = default;
};

/// Way in which data come from a memory for the first time: in lines.
struct FirstTouch {
  std::int64_t bytes = 0;  ///< of a line
  double cold_cycles = 0;  ///< that the port takes for it

  bool operator==(const FirstTouch&) const = default;
};

/// Bytes that a port moves in one go at most, and how long that takes.
struct Request {
  std::int64_t bytes = 0;
  double cycles = 0;

  bool operator==(const Request&) const = default;
};

/// Way in which a port moves data by requests: one reaches no further than what follows in memory without a
/// gap (OperandLayout), so that a tile takes at least one for each stretch of it.
struct PortRequests {
  std::int64_t bytes = 0;             ///< of a request for data that go towards the units
  double cycles = 0;                  ///< of one
  std::optional<Request> store = {};  ///< of data that come from the units; none: the same

  bool operator==(const PortRequests&) const = default;
  Request of(Direction direction) const;
};

struct Port {
  std::string name;
  PortType type = PortType::read_write;
  std::int64_t bandwidth_min = 0;  ///< bits per cycle; transfers are padded to multiples of it
  std::int64_t bandwidth_max = 0;  ///< bits per cycle
  std::vector<PortAllocation> allocation;
  double efficiency = 1;  ///< share of bandwidth_max that long transfers reach: above 0, at most 1
  /// Share of the shorter of computation and repeated transfers that hides behind the longer.
  double overlap = 1;
  std::optional<FirstTouch> line = {};  ///< of a topmost memory
  std::optional<PortRequests> request = {};

  bool operator==(const Port&) const = default;
  /// Bits per cycle that pass in long transfers. An access still has bandwidth_max bits.
  double bandwidth() const { return static_cast<double>(bandwidth_max) * efficiency; }
};

/// Where a cost lies that was filled in, as shares of what was filled. {1, 1}: it was told.
struct CostRange {
  double low = 1, high = 1;

  bool operator==(const CostRange&) const = default;
};

struct OperandFormat {
  std::string operand;  ///< of layers: "O", "W", "I"
  StoredFormat format = StoredFormat::none;

  bool operator==(const OperandFormat&) const = default;
};

/// A memory: one entry stands for all its instances; how many there are follows from the array
/// dimensions that one instance serves.
struct Memory {
  std::string name;
  std::int64_t size = 0;              ///< bits, one instance
  double read_cost = 0;               ///< pJ per read of bandwidth_max bits ("r_cost")
  double write_cost = 0;              ///< pJ per write of bandwidth_max bits ("w_cost")
  double area = 0;                    ///< one instance
  std::int64_t latency = 0;           ///< cycles; stored only, as in ZigZag
  std::string memory_type = "sram";   ///< "sram", "dram", "rf"
  std::vector<std::string> operands;  ///< memory operands; the order is that of the allocator
  std::vector<Port> ports;
  std::vector<std::string> served_dimensions;  ///< along these one instance serves all units
  bool force_double_buffering = false;         ///< stored only, as in ZigZag
  double tile_interval = 0;                    ///< cycles from one tile to the next, at least
  /// Its inputs have tiles together: each is loaded anew whenever a loop above moves on, also where the
  /// loop does not change it, and is there whole before anything is computed with it.
  bool shared_tiles = false;
  /// Beside a core with a vector unit: name of the other one's memory that is this one; "": none. One side
  /// is enough (memories_in_common()).
  std::string shared_with = {};
  /// Name of a memory of inputs into which finished outputs can be moved from here without going further
  /// out, so that a later layer reads them there; "": none. Costs of one layer do not count it.
  std::string moves_to = {};
  CostRange read_range = {}, write_range = {};  ///< of read_cost and write_cost
  std::vector<OperandFormat> formats = {};      ///< operands that are not named are stored as they are
  /// Share of the tiles in a format that find room: those with the fewest elements that are not zero.
  double format_quantile = 0.999;

  bool operator==(const Memory&) const = default;
  bool holds(const std::string& memory_operand) const;
  bool serves(const std::string& array_dimension) const;
};

struct ArrayDimension {
  std::string name;  ///< "D1"
  std::int64_t size = 1;

  bool operator==(const ArrayDimension&) const = default;
};

/// The properties of an in-memory-computing array; absent for arrays of plain multipliers.
struct ImcProperties {
  std::string imc_type;                   ///< "analog" or "digital"
  std::int64_t activation_precision = 0;  ///< bits
  std::int64_t weight_precision = 0;      ///< bits
  double adc_resolution = 0;              ///< bits
  double bit_serial_precision = 0;        ///< bits per cycle

  bool operator==(const ImcProperties&) const = default;
};

/// Units behind the first one that take part in filling an array, or in draining it, one a cycle.
enum class FoldUnits { none, used, whole };

/// "fold": what it costs a systolic array that the data of one operand stay in its units. Data that come
/// for another stay fill the array, results drain from it: one cycle for each unit behind the first.
struct ArrayFold {
  std::string operand;                ///< memory operand that stays in the units
  FoldUnits fill = FoldUnits::none;   ///< along the first array dimension by name
  FoldUnits drain = FoldUnits::none;  ///< along the second one
  std::string
      preload;  ///< array dimension along which data that stay are loaded, one unit a cycle; "": none
  bool overlapped = false;  ///< a fold begins while the one before ends: all cost as much as one

  bool operator==(const ArrayFold&) const = default;
};

/// "instruction": an array that is given its work in blocks of rows. (H. Genc et al.: Gemmini, DAC 2021.)
struct ArrayInstruction {
  std::string operand;             ///< memory operand that stays in the units
  std::vector<std::string> along;  ///< loops of layers; the first that a stay has makes the rows of blocks
  std::int64_t rows = 0;           ///< of a block at most, a cycle each
  double min_cycles = 0;           ///< of a block
  double reload_cycles = 0;        ///< of the first block of a stay: meanwhile the next data are loaded
  double interval = 0;             ///< cycles from a block to the next, on average over a stay

  bool operator==(const ArrayInstruction&) const = default;
};

/// Behaviour of units where an element is zero: `gate` saves the energy of the operation, `skip` its cycle,
/// too.
enum class OnZero { gate, skip };
inline constexpr std::array on_zero_words = {"gate", "skip"};

struct OperandOnZero {
  std::string operand;  ///< of layers: "W", "I"
  OnZero does = OnZero::gate;

  bool operator==(const OperandOnZero&) const = default;
};

/// The array of multiply-accumulate units.
struct OperationalArray {
  std::vector<ArrayDimension> dimensions;
  double unit_energy = 0;  ///< pJ per multiply-accumulate
  double unit_area = 0;    ///< one unit
  /// Array dimensions along which operands move from unit to unit, one unit a cycle, instead of being
  /// broadcast; none with in-memory computing. The order does not count.
  std::vector<std::string> systolic_dimensions;
  /// Bits of the numbers in the units: each of "O", "W", "I", "O_final" at most once. Empty: not told.
  std::vector<OperandPrecision> operand_precision;
  std::optional<ImcProperties> imc;
  // Additions of the array to the steps of a mapping (docs/accelerator-keys.md); none with in-memory
  // computing.
  std::optional<ArrayFold> fold;
  std::optional<ArrayInstruction> instruction;
  double efficiency = 1;      ///< share of its peak that long runs reach: above 0, at most 1
  CostRange unit_range = {};  ///< of unit_energy
  /// Numbers in blocks that the units do not take as they are (operand_precision) become theirs on the way.
  bool converts = false;
  std::vector<OperandOnZero> on_zero = {};  ///< of operands that are not named zeros are numbers as any
  bool skip_together = true;  ///< a round is skipped where all units may (core/cost/work_left.hpp)

  bool operator==(const OperationalArray&) const = default;
  std::int64_t unit_count() const;
  const ArrayDimension* find(const std::string& array_dimension) const;
};

struct Accelerator;
struct MemoryHierarchy;

/// Holds the memory hierarchy of one accelerator, made at the first question. A copy starts empty, because
/// copies are made to be changed. [any thread]
class HierarchyOwner {
 public:
  HierarchyOwner() = default;
  HierarchyOwner(const HierarchyOwner&) {}
  HierarchyOwner& operator=(const HierarchyOwner&);
  ~HierarchyOwner();

  bool operator==(const HierarchyOwner&) const { return true; }  ///< it follows from the rest
  const MemoryHierarchy& of(const Accelerator& accelerator) const;

 private:
  mutable std::atomic<const MemoryHierarchy*> hierarchy_{nullptr};
};

/// A single-core accelerator: an array of arithmetic units below a hierarchy of memories.
struct Accelerator {
  std::string name;
  std::vector<Memory> memories;  ///< in file order, from the units outwards
  OperationalArray array;
  /// "dataflows" of the file: how a core of several unrolls its layers; ZigZag's stages do not use it.
  SpatialUnrolling dataflows;
  /// ns; 0: nobody says. Cycles do not depend on it: seconds and watts follow from both
  /// (core/cost/rates.hpp).
  double clock_period = 0;
  /// Zeros of tensors for which neither the workload nor the mapping says any: `operand` is "W", "conv1.W",
  /// or a pattern with "*". The first that matches counts, one without "*" before all others.
  std::vector<OperandSparsity> workload_sparsity;
  HierarchyOwner hierarchy_owner;

  bool operator==(const Accelerator&) const = default;
  /// Index of the memory of this name; -1: there is none.
  int memory_index(const std::string& memory) const;
  /// Copies of a memory: units divided by what one instance serves.
  std::int64_t instances(const Memory& memory) const;
  /// No operand of the memory with this index goes further up.
  bool is_topmost(std::size_t memory) const;
  /// Order in which the memories feed each other; lives as long as the accelerator. The memories must not
  /// change after the first call: change a copy. [any thread]
  const MemoryHierarchy& hierarchy() const { return hierarchy_owner.of(*this); }
  /// Throws InputError naming the part when a field is out of range or a name is unknown, also for
  /// accelerators that were derived from another one. Array dimensions may have the size 0 (memory only).
  void validate() const;
};

}  // namespace zz::core
