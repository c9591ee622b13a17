#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace zz::core {

/// The names in a key that stands for several: "a, b" and "(a, b)" are a and b. Stages that vary parameters
/// take such keys. Names are trimmed; a comma between square brackets belongs to a name.
std::vector<std::string> names_in_key(std::string_view key);

/// The reverse: "a, b".
std::string key_of_names(const std::vector<std::string>& names);

}  // namespace zz::core
