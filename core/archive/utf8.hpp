#pragma once
#include <string_view>

namespace zz::core {

/// Whether the bytes are well-formed UTF-8 (RFC 3629), which protobuf demands of its texts.
bool is_utf8(std::string_view text);

}  // namespace zz::core
