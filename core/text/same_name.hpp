#pragma once
#include <cstddef>
#include <string>

namespace zz::core {

/// Whether two names are equal. Those of loops, operands and ports have a letter or two, which are compared
/// before == has called the function that compares them.
inline bool same_name(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace zz::core
