#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/source_mark.hpp"

namespace zz::plugins {

// Lines and fields of plain text files, with their places.

/// Texts that are read line by line may have so many bytes. docs/limits.md names this limit.
inline constexpr std::uintmax_t most_text_bytes = 64'000'000;

/// A part of a line without spaces around it; `mark` is the place of its first letter.
struct TextField {
  std::string text;
  core::SourceMark mark;
};

struct TextLine {
  std::string text;       ///< without its end
  core::SourceMark mark;  ///< column 1
};

std::vector<TextLine> lines_of(const std::string& text, const std::string& file);

/// A part of a line that begins at `mark`, without the spaces around it.
TextField trimmed(std::string_view part, core::SourceMark mark);

/// The parts between commas. An empty one behind the last comma is none.
std::vector<TextField> fields_between_commas(const TextLine& line);

/// Where the comment of a line of YAML begins; its length without one. Quotes are looked at within the
/// line.
std::size_t begin_of_comment(const std::string& line);

std::string without_blanks(std::string_view text);

/// A letter or '_', then such and digits.
bool is_name(std::string_view text);

/// Problems of a text that was read by itself: it knows no place of its own.
void add_problems_at(const core::SourceMark& mark, const core::InputError& problem,
                     core::Diagnostics& diagnostics);

/// A whole number from 1 to `most`, or nothing after saying so of `what`.
std::optional<std::int64_t> read_count(const TextField& field, const std::string& what, std::int64_t most,
                                       core::Diagnostics& diagnostics);

}  // namespace zz::plugins
