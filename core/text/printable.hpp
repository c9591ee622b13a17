#pragma once
#include <string>

namespace zz::core {

/// The text as a terminal may show it: '?' replaces each byte of control characters other than tabs and
/// ends of lines, and each byte that is not UTF-8. Columns stay. Messages repeat texts of input files,
/// which may hold anything.
std::string printable(std::string text);

}  // namespace zz::core
