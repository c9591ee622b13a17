#pragma once
#include <cstddef>
#include <cstdint>

namespace zz::core {

/// Bytes that the functions below write at most. They may write to all of them, before what they return.
inline constexpr std::size_t longest_number = 32;

/// Writes the digits and returns where they end.
char* put_integer(char* place, std::int64_t number);

/// Writes the fewest digits that read back to the same double, which must be finite, and returns where they
/// end. They always show that it is one: "48.0", "1e+16".
char* put_number(char* place, double number);

/// The same, but whole numbers look like integers: "48".
char* put_factor(char* place, double number);

}  // namespace zz::core
