#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/source_mark.hpp"
#include "core/mapping/number_type.hpp"
#include "core/mapping/operand_sparsity.hpp"
#include "core/mapping/spatial_mapping.hpp"

namespace zz::core {

/// Assigns an operand of the layer ("I", "W", "O") to an operand of the memories ("I1", "I2", "O"). Files
/// call it `memory_operand_links`, as ZigZag does, and plugins the type `memory_operand_link`.
struct OperandAssignment {
  std::string layer_operand;
  std::string memory_operand;

  bool operator==(const OperandAssignment&) const = default;
};

/// Loop dimensions that may be unrolled along an array dimension.
struct UnrollingHint {
  std::string array_dimension;
  std::vector<std::string> dimensions;

  bool operator==(const UnrollingHint&) const = default;
};

/// One entry of a user's temporal ordering, innermost first: a loop dimension with a size, or without
/// (written "*"): any loop of that dimension. The dimension "*" stands for any loops.
struct OrderingEntry {
  std::string dimension;
  std::optional<std::int64_t> size;
  bool all = false;  ///< written "all": one loop of what earlier entries leave of the dimension

  bool operator==(const OrderingEntry&) const = default;
};

/// Bits per element of an operand: "O" (partial sums), "W", "I", or "O_final" (the finished output).
struct OperandPrecision {
  std::string operand;
  std::int64_t bits = 0;
  BlockScale scale = {};

  NumberType type() const { return {bits, scale}; }
  bool operator==(const OperandPrecision&) const = default;
};

/// Layout of an operand in memory: its dimensions from the outermost to the innermost one, along which
/// elements follow each other. A first ".." stands for those that are not named; then names that the
/// operand of a layer does not have are passed over, so that one entry serves layers of many kinds.
struct OperandLayout {
  std::string operand;
  std::vector<std::string> dimensions;

  bool operator==(const OperandLayout&) const = default;
};

/// The names that OperandPrecision::operand can have.
const std::vector<std::string>& precision_operands();

/// Wider numbers than any hardware's, for bits that a file or a user gives: keeps products with element
/// counts far from overflow.
inline constexpr std::int64_t widest_number = 4096;

/// The entries of a temporal ordering, counted from the innermost, whose data a memory holds.
struct MemoryCut {
  std::string memory;
  std::int64_t loops = 0;

  bool operator==(const MemoryCut&) const = default;
};

/// Where an operand cuts a temporal ordering: at each of its memories. Of the topmost one, which holds all
/// loops, nothing need be said.
struct OperandCuts {
  std::string operand;
  std::vector<MemoryCut> memories;  ///< as a rule from the lowest up

  bool operator==(const OperandCuts&) const = default;
};

/// The same cuts of an ordering from which entries are gone: `kept[i]` of the first i entries are left, for
/// each i from 0 to their number.
std::vector<OperandCuts> recounted(std::vector<OperandCuts> cuts, const std::vector<std::int64_t>& kept);

/// Where a user's file prescribes what is unrolled, ordered and cut, and which cores may run it, for
/// messages about it: by key, as "spatial_mapping.D1", "cuts.W.scratchpad" or "core_allocation". Entries
/// are equal wherever they stand.
struct EntryPlaces {
  std::shared_ptr<const std::map<std::string, SourceMark>> of;  ///< nullptr: not known

  /// Without a file when it is not known.
  SourceMark mark(const std::string& key) const;
  /// "mapping.yaml:4:7", or "" when it is not known.
  std::string place(const std::string& key) const { return to_string(mark(key)); }
  bool operator==(const EntryPlaces&) const { return true; }
};

/// One entry of a mapping file: what is prescribed for a layer, an operator type, or by default.
struct LayerMapping {
  std::string name;
  SpatialUnrolling spatial_mapping;                ///< empty: everything is generated
  EntryPlaces places;                              ///< of what follows and spatial_mapping
  std::vector<UnrollingHint> spatial_hints;        ///< empty: every loop on every array dimension
  std::vector<OperandAssignment> memory_operands;  ///< in file order, which several tables repeat
  std::vector<OrderingEntry> temporal_ordering;
  /// Those of temporal_ordering, which then gives every loop; empty: a stage shares out the loops.
  std::vector<OperandCuts> cuts;
  /// In place of what the workload says; operands that are not named keep that.
  std::vector<OperandPrecision> operand_precision;
  std::vector<OperandSparsity> sparsity;  ///< in place of what workload and accelerator say
  std::vector<OperandLayout> layout;      ///< ports with requests ask for it (Port::request)
  /// Cores that may run the layer, in order of preference; only multi-core accelerators ask for it.
  std::vector<std::int64_t> core_allocation = {0};

  bool operator==(const LayerMapping&) const = default;
};

/// A mapping file: entries in file order, one of which is named "default".
struct MappingFile {
  std::vector<LayerMapping> entries;

  /// The entry for a layer: the first with its name, else the first with its operator type, else
  /// "default" (`used_default` is then set).
  const LayerMapping& select(const std::string& layer_name, const std::string& operator_type,
                             bool* used_default = nullptr) const;
};

}  // namespace zz::core
