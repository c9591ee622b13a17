#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace zz::core {

/// Zeros among the elements of an operand: each element is zero by itself with the same probability, or so
/// many of each block are (`pattern`).
struct OperandSparsity {
  std::string operand;       ///< "O" (finished outputs), "W", "I"; of an accelerator a name of tensors
  double density = 1;        ///< share of the elements that are not zero, from 0 to 1
  std::string pattern = {};  ///< "2:4": two of each four are not zero; then the density follows
  std::string along = {};    ///< loop dimension along which four follow each other

  bool operator==(const OperandSparsity&) const = default;
};

/// Form in which a memory stores a sparse operand, and moves it (TileBits).
enum class StoredFormat { none, bitmask, coordinates, run_length };
inline constexpr std::array stored_format_words = {"none", "bitmask", "coordinates", "run_length"};

/// Blocks of `of` elements, `kept` of which are not zero; of = 0: there are none.
struct ZeroPattern {
  std::int64_t kept = 0, of = 0;

  bool operator==(const ZeroPattern&) const = default;
};

/// Longest block of a pattern. docs/limits.md names it.
inline constexpr std::int64_t longest_pattern = 1024;

/// "2:4"; none for another text, and where more are kept than there are.
ZeroPattern pattern_of(std::string_view text);
/// The share of elements that are not zero, by density or pattern.
double density_of(const OperandSparsity& sparsity);
/// "density 0.4", "2:4 along C".
std::string to_text(const OperandSparsity& sparsity);

}  // namespace zz::core
