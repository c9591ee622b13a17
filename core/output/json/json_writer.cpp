#include "core/output/json/json_writer.hpp"

#include "core/output/json/json_quote.hpp"
#include "core/text/plain_text.hpp"

namespace zz::core {

void JsonWriter::key(std::string_view name) {
  if (is_plain(name)) return plain_key(name);
  text_.end_at(begin_line(0));
  append_json_string(name, text_);
  text_.append(": ");
  after_key_ = true;
}

void JsonWriter::literal(std::string_view text) {
  text_.end_at(TextBuffer::put(begin_part(text.size()), text));
}

void JsonWriter::value(std::string_view text) {
  text_.end_at(begin_part(text.size() + 2));
  append_json_string(text, text_);
}

}  // namespace zz::core
