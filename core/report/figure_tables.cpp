#include "core/report/figure_tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/writers/json_quote.hpp"

namespace zz::core {
namespace {

constexpr std::size_t usual_length = 126;  // of a row, in bytes

}  // namespace

void FigureRow::begin(std::string_view key) {
  if (text_.empty()) text_.reserve(usual_length);
  text_.append(text_.empty() ? "{\"" : ",\"", 2).append(key).append("\":", 2);
}

void FigureRow::append_to(std::string& text) const {
  text.append(text_.empty() ? std::string_view("{") : text_) += '}';
}

FigureRow& FigureRow::add(std::string_view key, double number) {
  if (!std::isfinite(number)) return add(key, nullptr);
  begin(key);
  char digits[64];
  text_.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof(digits), number));
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, bool truth) {
  begin(key);
  text_ += truth ? "true" : "false";
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, std::string_view text) {
  begin(key);
  append_json_string(text, text_);
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, const std::vector<std::string>& texts) {
  begin(key);
  text_ += '[';
  for (const std::string& text : texts) {
    if (&text != &texts.front()) text_ += ',';
    append_json_string(text, text_);
  }
  text_ += ']';
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, const std::vector<int>& numbers) {
  begin(key);
  fmt::format_to(std::back_inserter(text_), "[{}]", fmt::join(numbers, ","));
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, const FigureRow& object) {
  begin(key);
  object.append_to(text_);
  return *this;
}

FigureRow& FigureRow::add(std::string_view key, std::nullptr_t) {
  begin(key);
  text_ += "null";
  return *this;
}

FigureRow& FigureRow::add_integer(std::string_view key, std::int64_t number) {
  begin(key);
  const fmt::format_int digits(number);
  text_.append(digits.data(), digits.size());
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
