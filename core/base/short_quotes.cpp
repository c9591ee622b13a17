#include "core/base/short_quotes.hpp"

#include <string_view>

#include "core/base/text.hpp"

namespace zz::core {
namespace {

// Limits of docs/limits.md.
constexpr std::size_t most_letters_quoted = 200;

/// True if a quote at `at` may begin a quoted text, or end one. An apostrophe does neither.
bool opens(std::string_view text, std::size_t at) {
  constexpr std::string_view before = " \n(\"[=:";
  return text[at] == '\'' && (at == 0 || before.find(text[at - 1]) != std::string_view::npos);
}
bool closes(std::string_view text, std::size_t at) {
  constexpr std::string_view after = " \n.,;:)\"]?!'";
  return text[at] == '\'' && (at + 1 == text.size() || after.find(text[at + 1]) != std::string_view::npos);
}

std::size_t letters_in(std::string_view text) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return letters;
}

std::string short_quote(std::string_view quoted) {
  const bool whole =
      quoted.find('\n') == std::string_view::npos && letters_in(quoted) <= most_letters_quoted;
  std::string shown = whole ? std::string(quoted) : shown_text(quoted);
  for (char& c : shown) c = c == '\n' ? ' ' : c;
  return shown;
}

}  // namespace

std::string with_short_quotes(std::string message) {
  if (message.find('\n') == std::string::npos && message.size() <= most_letters_quoted) return message;
  std::string shown;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t begin = at++;
    shown += message[begin];
    if (!opens(message, begin)) continue;
    while (at < message.size() && !closes(message, at)) ++at;
    shown += short_quote(std::string_view(message).substr(begin + 1, at - begin - 1));
    if (at < message.size()) shown += message[at++];
  }
  return shown;
}

}  // namespace zz::core
