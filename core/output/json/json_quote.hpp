#pragma once
#include <string>
#include <string_view>

#include "core/text/plain_text.hpp"
#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Appends the text as a JSON string. Names come from files that may hold any bytes: what is no UTF-8 is
/// replaced, never a reason to fail.
inline void append_json_string(std::string_view text, TextBuffer& out);
void append_json_string(std::string_view text, std::string& out);

/// Like append_json_string, for texts that are not plain.
void append_json_escaped(std::string_view text, TextBuffer& out);

void append_json_string(std::string_view text, TextBuffer& out) {
  if (!is_plain(text)) {
    append_json_escaped(text, out);
    return;
  }
  char* end = out.room(text.size() + 2);
  *end++ = '"';
  end = TextBuffer::put(end, text);
  *end++ = '"';
  out.end_at(end);
}

}  // namespace zz::core
