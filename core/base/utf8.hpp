#pragma once
#include <cstddef>
#include <string_view>

namespace zz::core {

/// Bytes of the UTF-8 character (RFC 3629) that begins at `at`; 0 when none does.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Whether the bytes are well-formed UTF-8, which protobuf demands of its texts.
bool is_utf8(std::string_view text);

/// The beginning of a text, at most `most` bytes and no part of a character.
std::string_view utf8_prefix(std::string_view text, std::size_t most);
/// The end of a text, likewise.
std::string_view utf8_suffix(std::string_view text, std::size_t most);

}  // namespace zz::core
