#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace zz::core {

/// "MaxPool" -> "maxpool". ASCII only.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// "ox" -> "OX". ASCII only.
inline std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

/// The lines of a text one after another, with "; " between them and without tabs.
std::string on_one_line(std::string_view text);

/// Bytes of the UTF-8 character (RFC 3629) that begins at `at`; 0 when none does.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// True if the bytes are well-formed UTF-8, which protobuf demands of its texts.
bool is_utf8(std::string_view text);

/// The beginning of a text, at most `most` bytes and no part of a character.
std::string_view utf8_prefix(std::string_view text, std::size_t most);
/// The end of a text, likewise.
std::string_view utf8_suffix(std::string_view text, std::size_t most);

/// Bytes of a message that are kept. It may quote a file, or be what a stage says. docs/limits.md names
/// this limit.
inline constexpr std::size_t most_message_bytes = 10'000;
/// The text, or its beginning with a word about how long it is.
std::string message_text(std::string text);

/// A text that a message repeats: its first letters, at most as many as docs/limits.md says, then "...".
std::string shown_text(std::string_view text);

/// The text as a page of HTML may have it, also between the quotes of an attribute.
std::string html_text(std::string_view text);

/// The text as a terminal may show it: '?' replaces each byte of control characters other than tabs and
/// ends of lines, of characters that change the direction of writing or are not seen, and each byte that is
/// not UTF-8. Columns stay. Messages repeat texts of input files, which may hold anything.
std::string printable(std::string text);

/// The same for a text that must stay on its line: tabs and ends of lines are replaced too.
std::string printable_line(std::string text);

}  // namespace zz::core
