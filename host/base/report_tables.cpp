#include "host/base/report_tables.hpp"

#include <utility>

namespace zz::host {

void ReportTables::add(int stages_below, ReportTable table) {
  Key key{-stages_below, table.stage, table.title};
  const std::lock_guard lock(mutex_);
  tables_.insert_or_assign(std::move(key), std::move(table));
}

std::vector<ReportTable> ReportTables::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<ReportTable> tables;
  for (const auto& [key, table] : tables_) tables.push_back(table);
  return tables;
}

}  // namespace zz::host
