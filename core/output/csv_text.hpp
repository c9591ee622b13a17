#pragma once
#include <string>
#include <vector>

namespace zz::core {

/// A table as text with comma-separated values (RFC 4180, but with plain line ends): fields are quoted
/// where they need it. Names come from files: a cell that a spreadsheet would take for a formula gets a "'"
/// in front, and what a terminal would act on is replaced.
std::string csv_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace zz::core
