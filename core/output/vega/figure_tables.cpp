#include "core/output/vega/figure_tables.hpp"

#include <algorithm>
#include <utility>

#include "core/output/json/json_quote.hpp"

namespace zz::core {

FigureRow& FigureRow::add_named(std::string_view key, std::string_view text) {
  append_json_string(key, out_);
  out_.append(':');
  return add_text(text);
}

FigureRow& FigureRow::add_text(std::string_view text) {
  append_json_string(text, out_);
  return end(out_.room(1));
}

FigureRow& FigureRow::add_list(const std::vector<std::string>& texts) {
  out_.append('[');
  for (const std::string& text : texts) {
    if (&text != &texts.front()) out_.append(',');
    append_json_string(text, out_);
  }
  out_.append(']');
  return end(out_.room(1));
}

FigureRow& FigureRow::add_list(const std::vector<int>& numbers) {
  out_.append('[');
  for (const int& number : numbers) {
    if (&number != &numbers.front()) out_.append(',');
    out_.end_at(put_integer(out_.room(longest_number), number));
  }
  out_.append(']');
  return end(out_.room(1));
}

FigureTables::FigureTables(std::initializer_list<const char*> names) {
  tables_.reserve(names.size());
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
