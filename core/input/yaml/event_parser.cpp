#include "core/input/yaml/event_parser.hpp"

#include <algorithm>
#include <new>

namespace zz::core::yaml {
namespace {

std::string_view text_or_empty(const char* text) { return text != nullptr ? text : ""; }

/// The place of a byte, for the errors of which libyaml only says that.
yaml_mark_t mark_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {before.size(), static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
          before.size() - line_begin};
}

}  // namespace

EventParser::EventParser(std::string_view text) : text_(text) {
  // libyaml would count it as a column of the first line.
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text_.data()),
                               text_.size());
}

void EventParser::next(Event& event) {
  yaml_event_delete(&event.event_);
  if (yaml_parser_parse(&parser_, &event.event_) != 0) return;
  if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  SyntaxError error{text_or_empty(parser_.problem), text_or_empty(parser_.context), parser_.problem_mark,
                    parser_.context_mark};
  if (parser_.error == YAML_READER_ERROR) error.mark = mark_at(text_, parser_.problem_offset);
  throw error;
}

}  // namespace zz::core::yaml
