#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// In pJ: keeps sums and products of costs finite. docs/limits.md names it.
inline constexpr double largest_cost = 1e30;

/// Limit for sizes in bits and bandwidths: doubles count up to here exactly. docs/limits.md names it.
inline constexpr std::int64_t largest_number = std::int64_t{1} << 53;

/// Limit for cycles, rows and bytes in keys that ZigZag has not, `instruction`, `line` and so on.
/// docs/limits.md names it.
inline constexpr std::int64_t largest_key_figure = 1'000'000;

/// Limit for shares of a peak. docs/limits.md names it.
inline constexpr double smallest_efficiency = 1e-6;

/// A part of an accelerator; indices are -1 where they do not apply. With no memory the field is one of
/// the operational array, or of the accelerator itself when it is "name" or "memories".
struct AcceleratorPart {
  int memory = -1;
  int port = -1;      ///< of the memory
  std::string field;  ///< name as in the YAML file; empty: the part as a whole
  int item = -1;      ///< of a list field
  std::string key{};  ///< of a field with keys of its own
};

struct AcceleratorProblem {
  Severity severity = Severity::error;
  AcceleratorPart part;
  std::string message;
  std::string hint;
};

/// Tells if an array dimension may have the size 0. Cores of several may be memories without units.
enum class Units { required, optional };

/// Everything that is wrong (errors) or doubtful (warnings) with an accelerator, however it was made.
std::vector<AcceleratorProblem> find_problems(const Accelerator& accelerator,
                                              Units units = Units::optional);

/// True for "D" with one digit, the form of the names of array dimensions.
bool is_array_dimension_name(const std::string& name);

/// The names that memory operands can have.
const std::vector<std::string>& memory_operand_names();

}  // namespace zz::core
