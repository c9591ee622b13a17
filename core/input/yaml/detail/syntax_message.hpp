#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <yaml-cpp/exceptions.h>

#include "core/base/diagnostics.hpp"

namespace zz::core::yaml {

/// The state of the parser at a syntax error.
struct ParsedSoFar {
  std::size_t begin = 0;                  ///< byte at which the search for a quote or bracket begins
  std::optional<std::size_t> key_column;  ///< when a key of a map is to follow: its column, from 0
};

/// A syntax error in words that tell a user what to look for. `name` stands for the file.
Diagnostic syntax_message(std::string_view text, const std::string& name, const YAML::Exception& error,
                          const ParsedSoFar& parsed);

/// True when the line has tabs before this byte as indentation. yaml-cpp accepts some of them.
bool is_indented_by_tab(std::string_view text, std::size_t byte);

/// The error about a list or map within `most_levels` others.
Diagnostic too_deep(SourceMark mark, std::size_t most_levels);

/// The error when brackets outside quotes and comments nest deeper than `most_levels`, or hold more than
/// `most_values` values.
std::optional<Diagnostic> brackets_message(std::string_view text, const std::string& name,
                                           std::size_t most_levels, std::size_t most_values);

/// The error when the text has a character that YAML forbids, or bytes that are no UTF-8; yaml-cpp reads
/// over them.
std::optional<Diagnostic> character_message(std::string_view text, const std::string& name);

}  // namespace zz::core::yaml
