#pragma once
#include <string>

namespace zz::core {

/// The text for a terminal: control characters other than tabs and ends of lines, and bytes that are no
/// UTF-8, are replaced by '?', byte for byte, so that columns stay. Messages repeat what input files say,
/// and a file may say anything.
std::string printable(std::string text);

}  // namespace zz::core
