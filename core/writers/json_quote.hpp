#pragma once
#include <string>
#include <string_view>

#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Appends the text as a JSON string. Names come from files that may hold any bytes: what is no UTF-8 is
/// replaced, never a reason to fail.
void append_json_string(std::string_view text, TextBuffer& out);
void append_json_string(std::string_view text, std::string& out);

}  // namespace zz::core
