#pragma once
#include <bit>
#include <cstdint>

namespace zz::test {

/// Nothing is rounded differently: stricter than ==, which takes 0 for -0.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace zz::test
