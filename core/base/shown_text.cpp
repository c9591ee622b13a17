#include "core/base/shown_text.hpp"

#include <cstddef>

namespace zz::core {
namespace {

/// Of a letter in UTF-8. A text may hold anything.
constexpr std::size_t most_bytes_of_letter = 4;

// Limits of docs/limits.md.
constexpr std::size_t most_letters_shown = 80;

}  // namespace

std::string shown_text(std::string_view text) {
  const auto begins_letter = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
  };
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if ((begins_letter(at) && ++letters > most_letters_shown) ||
        at == most_bytes_of_letter * most_letters_shown)
      return std::string(text.substr(0, at)) + "...";
  return std::string(text);
}

}  // namespace zz::core
