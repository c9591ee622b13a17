#pragma once
#include <string>
#include <vector>

#include "core/value/value.hpp"
#include "zz/stage_abi.h"

namespace zz::host {

/// A table of a stage for the end of the run.
struct ReportTable {
  std::string stage;  ///< label of the place
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<core::Value>> rows;  ///< scalars, one for each column
};

/// All tables of the run, outermost stage first, then by title.
std::vector<ReportTable> report_tables();

/// The extension "zz.report/0".
extern const zz_report report_table;

}  // namespace zz::host
