#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text_buffer.hpp"

namespace zz::core {

/// A row of a table for a picture, as a JSON object without spaces. Each key is added once; keys are plain
/// words that need no escapes.
class FigureRow {
 public:
  FigureRow& add(std::string_view key, double number);
  FigureRow& add(std::string_view key, bool truth);
  FigureRow& add(std::string_view key, std::string_view text);
  FigureRow& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  FigureRow& add(std::string_view key, const std::vector<std::string>& texts);
  FigureRow& add(std::string_view key, const std::vector<int>& numbers);
  FigureRow& add(std::string_view key, const FigureRow& object);
  FigureRow& add(std::string_view key, std::nullptr_t);
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) FigureRow& add(std::string_view key, Number number) {
    return add_integer(key, static_cast<std::int64_t>(number));
  }
  void append_to(std::string& text) const;
  std::string text() const {
    std::string text;
    append_to(text);
    return text;
  }

 private:
  void begin(std::string_view key);
  FigureRow& add_integer(std::string_view key, std::int64_t number);

  static constexpr std::size_t usual_size = 126;

  TextBuffer text_{usual_size};  ///< without the last brace
};

struct FigureTable {
  std::string name;
  std::string rows;  ///< JSON objects, a line each, with a comma between two
  std::size_t row_count = 0;

  void add(const FigureRow& row);
};

/// The tables of a picture, in a fixed order.
class FigureTables {
 public:
  FigureTables(std::initializer_list<const char*> names);
  /// The table of one of the names. The reference stays valid.
  FigureTable& operator[](std::string_view name);
  const FigureTable& operator[](std::string_view name) const;
  auto begin() const { return tables_.begin(); }
  auto end() const { return tables_.end(); }

 private:
  std::vector<FigureTable> tables_;
};

}  // namespace zz::core
