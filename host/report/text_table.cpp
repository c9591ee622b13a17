#include "host/report/text_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/text.hpp"

namespace zz::host {
namespace {

/// Characters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string figure_text(double value) {
  std::string exact = fmt::format("{}", value);
  return exact.size() <= 12 ? exact : fmt::format("{:.10g}", value);
}

void TextTable::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = core::printable_line(std::move(cell));
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  const auto add_line = [&](auto cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = cell_of(i);
      const std::string padding(widths[i] - width_of(cell), ' ');
      line += (i > 0 ? "  " : "") + (columns_[i].right ? padding + cell : cell + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  const auto add_rule = [&] { add_line([&](std::size_t i) { return std::string(widths[i], '-'); }); };
  add_line([&](std::size_t i) { return columns_[i].title; });
  add_rule();
  for (const auto& row : rows_) {
    if (row.empty()) {
      add_rule();
    } else {
      add_line([&](std::size_t i) { return row[i]; });
    }
  }
  return text;
}

}  // namespace zz::host
