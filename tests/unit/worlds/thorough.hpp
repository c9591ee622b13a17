#pragma once
#include <cstdlib>

namespace zz::test {

/// True if tests do all of what they do a part of every day. CTest's slow "unit-slow/thorough" sets
/// ZZ_THOROUGH.
inline bool thorough() { return std::getenv("ZZ_THOROUGH") != nullptr; }

/// Number of rounds a test makes, or must at least count: so many every day, and so many thoroughly.
template <typename Number>
Number daily(Number everyday, Number thoroughly) {
  return thorough() ? thoroughly : everyday;
}

}  // namespace zz::test
