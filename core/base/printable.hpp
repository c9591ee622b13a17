#pragma once
#include <string>

namespace zz::core {

/// The text as a terminal may show it: '?' replaces each byte of control characters other than tabs and
/// ends of lines, of characters that change the direction of writing or are not seen, and each byte that is
/// not UTF-8. Columns stay. Messages repeat texts of input files, which may hold anything.
std::string printable(std::string text);

/// The same for a text that must stay on its line: tabs and ends of lines are replaced too.
std::string printable_line(std::string text);

}  // namespace zz::core
