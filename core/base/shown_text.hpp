#pragma once
#include <string>
#include <string_view>

namespace zz::core {

/// A text that a message repeats: its first letters, at most as many as docs/limits.md says, then "...".
std::string shown_text(std::string_view text);

}  // namespace zz::core
