#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <yaml-cpp/exceptions.h>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core::yaml {

/// How far the parser had come when it gave up.
struct ParsedSoFar {
  std::size_t begin = 0;                  ///< byte from where on to look for a quote or a bracket
  std::optional<std::size_t> key_column;  ///< when a key of a map is to follow: its column, from 0
};

/// What is wrong with a YAML text, in words that tell a user what to look for. `name` stands for the file.
Diagnostic syntax_message(std::string_view text, const std::string& name, const YAML::Exception& error,
                          const ParsedSoFar& parsed);

/// Whether the line of this byte is indented by tabs before it, some of which yaml-cpp accepts.
bool is_indented_by_tab(std::string_view text, std::size_t byte);

/// The error about a list or map that lies within `most_levels` others.
Diagnostic too_deep(SourceMark mark, std::size_t most_levels);

/// The error when brackets outside quotes and comments nest deeper than `most_levels`, or hold more than
/// `most_values` values.
std::optional<Diagnostic> brackets_message(std::string_view text, const std::string& name,
                                           std::size_t most_levels, std::size_t most_values);

/// The error when the text has a character that YAML forbids, or bytes that are no UTF-8; yaml-cpp reads
/// over them.
std::optional<Diagnostic> character_message(std::string_view text, const std::string& name);

}  // namespace zz::core::yaml
