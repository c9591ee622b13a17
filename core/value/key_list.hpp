#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zz::core {

/// The names in a key that stands for several at once, as stages that vary parameters take them: "a, b" or
/// "(a, b)" are a and b. Names are trimmed; commas between square brackets belong to a name.
std::vector<std::string> names_in_key(std::string_view key);

/// The reverse: "a, b".
std::string key_of_names(const std::vector<std::string>& names);

}  // namespace zz::core
