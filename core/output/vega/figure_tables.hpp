#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/number_text.hpp"
#include "core/text/text_buffer.hpp"

namespace zz::core {

/// Writes a row of a table for a picture at the end of a text, as a JSON object without spaces, which is
/// complete when the row is destroyed. Nothing else may be written there before that. Each key is added
/// once; keys are literals, plain words that need no escapes.
class FigureRow {
 public:
  explicit FigureRow(TextBuffer& out) : out_(out) {
    char* const end = out_.room(2);  // a row without parts ends here
    *end = '{';
    out_.end_at(end + 1);
  }
  FigureRow(const FigureRow&) = delete;
  FigureRow& operator=(const FigureRow&) = delete;
  ~FigureRow() {
    char* end = out_.room(0);
    if (end[-1] == ',') --end;
    *end = '}';
    out_.end_at(end + 1);
  }

  /// What is not finite becomes null.
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], double number) {
    if (!std::isfinite(number)) return add(key, nullptr);
    return end(put_number(begin(key, longest_number), number));
  }
  template <std::size_t size, std::integral Number>
  requires(!std::same_as<Number, bool>) FigureRow& add(const char (&key)[size], Number number) {
    return end(put_integer(begin(key, longest_number), static_cast<std::int64_t>(number)));
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], bool truth) {
    return literal(key, truth ? "true" : "false");
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], std::nullptr_t) {
    return literal(key, "null");
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], std::string_view text) {
    out_.end_at(begin(key, 0));
    return add_text(text);
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], const std::string& text) {
    return add(key, std::string_view(text));
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], const char* text) {
    return add(key, std::string_view(text));
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], const std::vector<std::string>& texts) {
    out_.end_at(begin(key, 0));
    return add_list(texts);
  }
  template <std::size_t size>
  FigureRow& add(const char (&key)[size], const std::vector<int>& numbers) {
    out_.end_at(begin(key, 0));
    return add_list(numbers);
  }
  /// A value that is JSON already, without spaces.
  template <std::size_t size>
  FigureRow& literal(const char (&key)[size], std::string_view json) {
    return end(TextBuffer::put(begin(key, json.size()), json));
  }
  /// A text under a key that may be any text.
  FigureRow& add_named(std::string_view key, std::string_view text);

 private:
  /// Where the value is to be written, with room for so many bytes and the comma behind it.
  template <std::size_t size>
  char* begin(const char (&key)[size], std::size_t bytes) {
    char* end = out_.room(size + 2 + bytes + 1);
    *end++ = '"';
    std::memcpy(end, key, size - 1);
    end += size - 1;
    *end++ = '"';
    *end++ = ':';
    return end;
  }
  FigureRow& end(char* place) {
    *place++ = ',';
    out_.end_at(place);
    return *this;
  }
  FigureRow& add_text(std::string_view text);
  FigureRow& add_list(const std::vector<std::string>& texts);
  FigureRow& add_list(const std::vector<int>& numbers);

  TextBuffer& out_;
};

struct FigureTable {
  std::string name;
  TextBuffer rows;  ///< JSON objects, a line each, with a comma between two
  std::size_t row_count = 0;

  /// A further row, which is to be complete before the next one begins.
  FigureRow row() {
    if (row_count++ > 0) rows.append(",\n");
    return FigureRow(rows);
  }
};

/// The tables of a picture, in a fixed order.
class FigureTables {
 public:
  FigureTables(std::initializer_list<const char*> names);
  /// The table of one of the names. The reference stays valid, also when the tables are moved.
  FigureTable& operator[](std::string_view name);
  const FigureTable& operator[](std::string_view name) const;
  auto begin() const { return tables_.begin(); }
  auto end() const { return tables_.end(); }

 private:
  std::vector<FigureTable> tables_;
};

}  // namespace zz::core
