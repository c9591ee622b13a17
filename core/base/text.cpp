#include "core/base/text.hpp"

#include <cstdint>

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

std::string on_one_line(std::string_view text) {
  std::string line;
  while (text.ends_with('\n')) text.remove_suffix(1);
  for (const char c : text) {
    if (c == '\n')
      line += "; ";
    else if (c != '\t')
      line += c;
  }
  return line;
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

std::string message_text(std::string text) {
  if (text.size() <= most_message_bytes) return text;
  const std::string length = std::to_string(text.size());
  text.resize(utf8_prefix(text, most_message_bytes).size());
  return text + "... (" + length + " bytes in all)";
}

std::string_view utf8_suffix(std::string_view text, std::size_t most) {
  std::size_t begin = text.size() < most ? 0 : text.size() - most;
  while (goes_on(text, begin)) ++begin;
  return text.substr(begin);
}

namespace {

/// The character of two or three bytes at `at`; 0 for others.
std::uint32_t character(const std::string& text, std::size_t at, std::size_t length) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]) & mask);
  };
  if (length == 2) return bits(0, 0x1F) << 6U | bits(1, 0x3F);
  if (length == 3) return bits(0, 0x0F) << 12U | bits(1, 0x3F) << 6U | bits(2, 0x3F);
  return 0;
}

bool lies_in(std::uint32_t character, std::uint32_t first, std::uint32_t last) {
  return character >= first && character <= last;
}

/// C1 controls, and what changes the direction of writing, ends a line or is not seen (Unicode 15, general
/// categories Cc, Cf, Zl and Zp of the basic plane that a terminal acts on).
bool acts_on_terminal(std::uint32_t character) {
  return lies_in(character, 0x80, 0x9F) || character == 0x061C || lies_in(character, 0x200B, 0x200F) ||
         lies_in(character, 0x2028, 0x202E) || lies_in(character, 0x2060, 0x206F) || character == 0xFEFF;
}

bool ascii_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

std::string printed(std::string text, bool keep_layout) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const std::size_t next = i + (length == 0 ? 1 : length);
    const bool layout = keep_layout && (text[i] == '\t' || text[i] == '\n');
    const bool bad =
        length == 0 || (!layout && ascii_control(text[i])) || acts_on_terminal(character(text, i, length));
    if (bad)
      shown.append(next - i, '?');
    else
      shown.append(text, i, next - i);
    i = next;
  }
  return shown;
}

}  // namespace

std::string printable(std::string text) { return printed(std::move(text), true); }
std::string printable_line(std::string text) { return printed(std::move(text), false); }

namespace {

/// Bytes of a letter in UTF-8. A text may hold anything.
constexpr std::size_t most_bytes_of_letter = 4;

// Limits of docs/limits.md.
constexpr std::size_t most_letters_shown = 80;

}  // namespace

std::string shown_text(std::string_view text) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if ((!goes_on(text, at) && ++letters > most_letters_shown) ||
        at == most_bytes_of_letter * most_letters_shown)
      return std::string(text.substr(0, at)) + "...";
  return std::string(text);
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

}  // namespace zz::core
