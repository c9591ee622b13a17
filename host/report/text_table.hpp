#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// A number in a cell: exact if it is short, else ten digits.
std::string figure_text(double value);

/// Text in aligned columns: numbers to the right, everything else to the left.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = false;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Replaces control characters, because names come from files.
  void add_row(std::vector<std::string> cells);
  void add_rule() { rows_.emplace_back(); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  ///< an empty one is a rule
};

}  // namespace zz::host
