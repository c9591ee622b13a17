#include "core/report/figure_tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/writers/json_quote.hpp"

namespace zz::core {
namespace {

/// In bytes; of doubles and integers.
constexpr std::size_t longest_number = 64;

}  // namespace

void FigureRow::begin(std::string_view key) {
  char* end = text_.room(key.size() + 4);
  *end++ = text_.empty() ? '{' : ',';
  *end++ = '"';
  end = TextBuffer::put(end, key);
  text_.end_at(TextBuffer::put(end, "\":"));
}

void FigureRow::append_to(std::string& text) const {
  text.append(text_.empty() ? std::string_view("{") : text_.view()) += '}';
}

FigureRow& FigureRow::add(std::string_view key, double number) {
  if (!std::isfinite(number)) return add(key, nullptr);
  begin(key);
  char* const digits = text_.room(longest_number);
  text_.end_at(nlohmann::detail::to_chars(digits, digits + longest_number, number));
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, bool truth) {
  begin(key);
  text_.append(truth ? "true" : "false");
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, std::string_view text) {
  begin(key);
  append_json_string(text, text_);
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, const std::vector<std::string>& texts) {
  begin(key);
  text_.append('[');
  for (const std::string& text : texts) {
    if (&text != &texts.front()) text_.append(',');
    append_json_string(text, text_);
  }
  text_.append(']');
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, const std::vector<int>& numbers) {
  begin(key);
  text_.append(fmt::format("[{}]", fmt::join(numbers, ",")));
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, const FigureRow& object) {
  begin(key);
  text_.append(object.text());
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, std::nullptr_t) {
  begin(key);
  text_.append("null");
  return *this;
}

FigureRow& FigureRow::add_integer(std::string_view key, std::int64_t number) {
  begin(key);
  const fmt::format_int digits(number);
  text_.append({digits.data(), digits.size()});
  return *this;
}

void FigureTable::add(const FigureRow& row) {
  if (row_count++ > 0) rows.append(",\n", 2);
  row.append_to(rows);
}

FigureTables::FigureTables(std::initializer_list<const char*> names) {
  for (const char* name : names) tables_.push_back({name, {}, 0});
}

const FigureTable& FigureTables::operator[](std::string_view name) const {
  return *std::find_if(tables_.begin(), tables_.end(),
                       [&](const FigureTable& table) { return table.name == name; });
}

FigureTable& FigureTables::operator[](std::string_view name) {
  return const_cast<FigureTable&>(std::as_const(*this)[name]);
}

}  // namespace zz::core
