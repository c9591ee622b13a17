#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/text/number_text.hpp"
#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Writes JSON text part by part, without a tree in between, with an indent, usually of four, and a line
/// for each part.
///
/// Integers are written exactly. Floating-point numbers have the fewest digits that read back to the
/// same double and always show that they are one ("48.0"); what JSON cannot express (infinite, not a
/// number) becomes null. Bytes that are no UTF-8 are replaced.
///
/// The caller sees to it that maps have keys, once each, and lists have none.
class JsonWriter {
 public:
  JsonWriter() : text_(usual_size) {}
  /// With another indent.
  static JsonWriter indented(std::size_t blanks) {
    JsonWriter json;
    json.indent_ = blanks;
    return json;
  }
  /// Writes a value that is to stand beside its key in a map of that depth, of which the outermost has 1.
  explicit JsonWriter(std::size_t depth) : depth_(depth), after_key_(true) {}

  /// Begins a new text in the room of the one before.
  void clear() {
    text_.clear();
    depth_ = 0;
    empty_ = true;
    after_key_ = false;
  }

  /// A map or list whose parts `write_parts` writes.
  template <class WriteParts>
  void map(WriteParts write_parts) {
    begin('{');
    write_parts();
    end('}');
  }
  template <class WriteParts>
  void list(WriteParts write_parts) {
    begin('[');
    write_parts();
    end(']');
  }
  /// The key of the next value of a map.
  void key(std::string_view name);
  /// One that is written in the source: plain letters, nothing to be escaped.
  template <std::size_t size>
  void key(const char (&name)[size]) {
    plain_key({name, size - 1});
  }
  void plain_key(std::string_view name) {
    char* end = begin_line(name.size() + 4);
    *end++ = '"';
    end = TextBuffer::put(end, name);
    std::memcpy(end, "\": ", 3);
    text_.end_at(end + 3);
    after_key_ = true;
  }

  void null() { literal("null"); }
  void value(double number) {
    if (std::isfinite(number))
      text_.end_at(put_number(begin_part(longest_number), number));
    else
      null();
  }
  void value(std::integral auto number) { integer(static_cast<std::int64_t>(number)); }
  void value(std::string_view text);
  /// A number, truth value or null that is JSON already; or a value that was written for this depth.
  void literal(std::string_view text);

  /// "key": value
  void entry(const auto& name, const auto& content) {
    key(name);
    value(content);
  }
  template <class WriteParts>
  void map_entry(const auto& name, WriteParts write_parts) {
    key(name);
    map(write_parts);
  }
  template <class WriteParts>
  void list_entry(const auto& name, WriteParts write_parts) {
    key(name);
    list(write_parts);
  }

  /// Ends the text with a line end. What is returned holds until something else is written.
  std::string_view finish() {
    text_.append('\n');
    return text_.view();
  }
  /// What was written, with a line end.
  std::string text() && { return std::string(finish()); }
  /// What was written.
  std::string part() && { return text_.text(); }

 private:
  static constexpr std::size_t usual_size = 12 * 1024;
  /// Copied as a whole, which is quicker than to count.
  static constexpr std::size_t usual_blanks = 32;
  static constexpr std::array<char, usual_blanks> blanks_ = [] {
    std::array<char, usual_blanks> blanks{};
    for (char& blank : blanks) blank = ' ';
    return blanks;
  }();

  void begin(char bracket) {
    char* const end = begin_part(1);
    *end = bracket;
    text_.end_at(end + 1);
    ++depth_;
    empty_ = true;
  }
  void end(char bracket) {
    --depth_;
    char* end = text_.room(room_for_blanks() + 2);
    if (!empty_) {
      *end++ = '\n';
      end = put_blanks(end);
    }
    *end++ = bracket;
    text_.end_at(end);
    empty_ = false;
  }
  /// Where a value is to be written, with room for so many bytes.
  char* begin_part(std::size_t bytes) {
    if (std::exchange(after_key_, false) || depth_ == 0) return text_.room(bytes);
    return begin_line(bytes);
  }
  /// Where a part of a map or list is to be written.
  char* begin_line(std::size_t bytes) {
    char* end = text_.room(room_for_blanks() + 2 + bytes);
    *end = ',';
    end += std::exchange(empty_, false) ? 0 : 1;
    *end++ = '\n';
    return put_blanks(end);
  }
  std::size_t room_for_blanks() const {
    const std::size_t blanks = indent_ * depth_;
    return blanks < usual_blanks ? usual_blanks : blanks;
  }
  char* put_blanks(char* place) const {
    const std::size_t blanks = indent_ * depth_;
    std::memcpy(place, blanks_.data(), usual_blanks);
    if (blanks > usual_blanks) [[unlikely]]
      std::memset(place, ' ', blanks);
    return place + blanks;
  }
  void integer(std::int64_t number) { text_.end_at(put_integer(begin_part(longest_number), number)); }

  TextBuffer text_;
  std::size_t indent_ = 4;
  std::size_t depth_ = 0;
  bool empty_ = true;       ///< the map or list has no part yet
  bool after_key_ = false;  ///< the next value stands beside its key
};

}  // namespace zz::core
