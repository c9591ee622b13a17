#pragma once
#include <string>

namespace zz::core {

/// "MaxPool" -> "maxpool". ASCII only.
inline std::string lower_case(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

}  // namespace zz::core
