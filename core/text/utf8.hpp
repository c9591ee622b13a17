#pragma once
#include <cstddef>
#include <string_view>

namespace zz::core {

/// Bytes of the UTF-8 character (RFC 3629) that begins at `at`; 0 when none does.
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Whether the bytes are well-formed UTF-8, which protobuf demands of its texts.
bool is_utf8(std::string_view text);

}  // namespace zz::core
