#pragma once
#include <string>
#include <string_view>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/yaml/event_parser.hpp"

namespace zz::core::yaml {

/// What is wrong with a YAML text, in words that tell a user what to look for. `name` stands for the file.
Diagnostic syntax_message(std::string_view text, const std::string& name, const SyntaxError& error);

}  // namespace zz::core::yaml
