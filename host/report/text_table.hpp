#pragma once
#include <string>
#include <vector>

namespace zz::host {

/// Columns of text that line up. Numbers stand to the right, everything else to the left.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = false;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Names in it come from files: what a terminal would act on, or what would end the row, is replaced.
  void add_row(std::vector<std::string> cells);
  void add_rule() { rows_.emplace_back(); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  ///< an empty one is a rule
};

}  // namespace zz::host
