#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

  void null() { literal("null"); }
  void value(double number);
  void value(std::integral auto number) { integer(static_cast<std::int64_t>(number)); }
  void value(std::string_view text);
  /// A number, truth value or null that is JSON already; or a value that was written for this depth.
  void literal(std::string_view text);

  /// "key": value
  void entry(std::string_view name, const auto& content) {
    key(name);
    value(content);
  }
  template <class WriteParts>
  void map_entry(std::string_view name, WriteParts write_parts) {
    key(name);
    map(write_parts);
  }
  template <class WriteParts>
  void list_entry(std::string_view name, WriteParts write_parts) {
    key(name);
    list(write_parts);
  }

  /// What was written, with a line end.
  std::string text() &&;
  /// What was written.
  std::string part() && { return std::move(text_).text(); }

 private:
  static constexpr std::size_t usual_size = 12 * 1024;

  void begin(char bracket);
  void end(char bracket);
  void begin_part();
  void integer(std::int64_t number);

  TextBuffer text_;
  std::size_t indent_ = 4;
  std::size_t depth_ = 0;
  bool empty_ = true;       ///< the map or list has no part yet
  bool after_key_ = false;  ///< the next value stands beside its key
};

}  // namespace zz::core
