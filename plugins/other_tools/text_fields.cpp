#include "plugins/other_tools/text_fields.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/text.hpp"

namespace zz::plugins {

std::vector<TextLine> lines_of(const std::string& text, const std::string& file) {
  std::vector<TextLine> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back({text.substr(begin, end - begin), {file, static_cast<int>(lines.size()) + 1, 1}});
    begin = end + 1;
  }
  return lines;
}

TextField trimmed(std::string_view part, core::SourceMark mark) {
  constexpr std::string_view spaces = " \t\r";
  const std::size_t first = part.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {"", mark};
  mark.column += static_cast<int>(first);
  return {std::string(part.substr(first, part.find_last_not_of(spaces) + 1 - first)), mark};
}

std::vector<TextField> fields_between_commas(const TextLine& line) {
  std::vector<TextField> fields;
  for (std::size_t begin = 0; begin <= line.text.size();) {
    const std::size_t end = std::min(line.text.find(',', begin), line.text.size());
    core::SourceMark mark = line.mark;
    mark.column += static_cast<int>(begin);
    fields.push_back(trimmed(std::string_view(line.text).substr(begin, end - begin), mark));
    begin = end + 1;
  }
  if (fields.back().text.empty()) fields.pop_back();
  return fields;
}

std::optional<std::int64_t> read_count(const TextField& field, const std::string& what, std::int64_t most,
                                       core::Diagnostics& diagnostics) {
  std::int64_t number = 0;
  const char* const end = field.text.data() + field.text.size();
  const auto [stop, failure] = std::from_chars(field.text.data(), end, number);
  if (failure == std::errc() && stop == end && number >= 1 && number <= most) return number;
  diagnostics.error(field.mark, fmt::format("{} is '{}'", what, core::shown_text(field.text)),
                    fmt::format("a whole number from 1 to {} is expected", most));
  return std::nullopt;
}

std::size_t begin_of_comment(const std::string& line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return i;
    }
  }
  return line.size();
}

std::string without_blanks(std::string_view text) {
  std::string made;
  std::copy_if(text.begin(), text.end(), std::back_inserter(made),
               [](char c) { return !std::isspace(static_cast<unsigned char>(c)); });
  return made;
}

bool is_name(std::string_view text) {
  const auto may_stand = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), may_stand);
}

void add_problems_at(const core::SourceMark& mark, const core::InputError& problem,
                     core::Diagnostics& diagnostics) {
  for (core::Diagnostic one : problem.diagnostics()) {
    one.mark = mark;
    diagnostics.add(std::move(one));
  }
}

}  // namespace zz::plugins
