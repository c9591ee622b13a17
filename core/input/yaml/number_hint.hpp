#pragma once
#include <string>

#include "core/input/yaml/document.hpp"

namespace zz::core::yaml {

/// Why a text that looks like a number to everybody is none in YAML 1.1 ("remove the quotes"), as a hint;
/// "" when it does not look like one.
std::string number_hint(const Node& node);

}  // namespace zz::core::yaml
