#pragma once
#include <string>
#include <vector>

namespace zz::core {

/// A table as text with comma-separated values (RFC 4180, but with plain line ends): fields are quoted
/// where they need it.
std::string csv_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace zz::core
