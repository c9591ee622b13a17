#pragma once
#include <string>

namespace zz::core {

/// A message in which no quoted text is long: what stands between the ends of a line, and what has more
/// letters than a name of a file commonly has, is cut as by shown_text(), and stays on its line. Texts are
/// quoted as 'this'; an apostrophe within a word is none.
std::string with_short_quotes(std::string message);

}  // namespace zz::core
