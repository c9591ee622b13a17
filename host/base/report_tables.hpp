#pragma once
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "core/value/value.hpp"

namespace zz::host {

/// A table of a stage for the end of the run.
struct ReportTable {
  std::string stage;  ///< label of the place
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<core::Value>> rows;  ///< scalars, one for each column
};

/// The tables of a run. [any]
class ReportTables {
 public:
  /// A table of a stage that has `stages_below` stages from itself on down. Of several tables of one place
  /// and title the last one counts.
  void add(int stages_below, ReportTable table);
  /// All of them, outermost stage first, then by title.
  std::vector<ReportTable> all() const;

 private:
  using Key = std::tuple<int, std::string, std::string>;  ///< -(stages from here on down), label, title

  mutable std::mutex mutex_;
  std::map<Key, ReportTable> tables_;
};

}  // namespace zz::host
