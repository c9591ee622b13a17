#pragma once
#include <string>
#include <string_view>

namespace zz::core {

/// Names of dimensions are capitals everywhere; users may write small letters. ASCII only.
inline std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

}  // namespace zz::core
