#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/source_mark.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::plugins {

// An accelerator as Timeloop and AccelForge describe one: from the outside to the inside, memories and
// fanouts in a row, then the units.

struct StackMemory {
  std::string name;
  std::string memory_type = "sram";
  std::optional<std::int64_t> bits;      ///< of an instance; none: unlimited
  std::int64_t access_bits = 8;          ///< of one access, whose costs follow
  double read_cost = 0, write_cost = 0;  ///< pJ
  /// A cycle, for all operands together; none: `free_bits` for each operand and direction.
  std::optional<std::int64_t> read_bits, write_bits;
  std::optional<std::int64_t> free_bits = {};  ///< none: those of an access
  bool shared_port = false;                    ///< reads and writes share `read_bits`
  std::vector<std::string> operands;           ///< memory operands that it keeps
  std::vector<core::OperandFormat> formats = {};
};

/// Copies of all that is further inside.
struct StackFanout {
  std::string name;
  std::int64_t count = 1;
};

struct StackLevel {
  core::SourceMark mark;
  std::optional<StackMemory> memory;
  std::optional<StackFanout> fanout;
};

struct LevelStack {
  std::string name;
  std::vector<StackLevel> levels;                 ///< the outermost first
  double unit_energy = 0;                         ///< pJ
  std::vector<core::OperandOnZero> on_zero = {};  ///< units skip each by itself
  core::SourceMark mark;
};

/// The accelerator: each fanout is a dimension of the array, D1 the outermost. Throws InputError for what
/// none can be: more than nine fanouts, an operand that no memory keeps.
core::Accelerator accelerator_of(const LevelStack& stack);

}  // namespace zz::plugins
