#include "core/base/utf8.hpp"

namespace zz::core {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return at < text.size() ? 1 : 0;
  // Smallest and largest second byte: they exclude long forms, surrogates and what is above U+10FFFF.
  unsigned low = 0x80, high = 0xBF;
  std::size_t length = 1;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t next = 1; next < length; ++next) {
    if (byte(at + next) < (next == 1 ? low : 0x80) || byte(at + next) > (next == 1 ? high : 0xBF)) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

namespace {

/// A byte that goes on with the character before it.
bool goes_on(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

}  // namespace

std::string_view utf8_prefix(std::string_view text, std::size_t most) {
  std::size_t end = text.size() < most ? text.size() : most;
  while (end > 0 && goes_on(text, end)) --end;
  return text.substr(0, end);
}

std::string_view utf8_suffix(std::string_view text, std::size_t most) {
  std::size_t begin = text.size() < most ? 0 : text.size() - most;
  while (goes_on(text, begin)) ++begin;
  return text.substr(begin);
}

}  // namespace zz::core
