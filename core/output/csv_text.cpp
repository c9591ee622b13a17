#include "core/output/csv_text.hpp"

#include <string_view>

#include "core/base/number_text.hpp"
#include "core/base/text.hpp"

namespace zz::core {
namespace {

/// Spreadsheets take such a cell for a formula, and run it.
bool looks_like_formula(const std::string& cell) {
  return !cell.empty() && std::string_view("=+-@").find(cell.front()) != std::string_view::npos &&
         !number_of(cell);
}

std::string field_text(const std::string& given) {
  std::string cell = printable_line(given);
  // The mark of a text in spreadsheets, which do not show it.
  if (looks_like_formula(cell)) cell.insert(cell.begin(), '\'');
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string csv_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += ',';
      text += field_text(row[i]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace zz::core
