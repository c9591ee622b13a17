#include "core/input/yaml/syntax_message.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace zz::core::yaml {
namespace {

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// True when the indentation of the line has a tab and is not just an empty line or a comment.
bool indented_by_tab(std::string_view line) {
  const std::size_t content = line.find_first_not_of(" \t\r");
  if (content == std::string_view::npos || line[content] == '#') return false;
  return line.find('\t') < content;
}

struct Explanation {
  std::string_view problem;  ///< how libyaml's text begins
  std::string_view context;  ///< part of libyaml's text
  bool at_context;           ///< the mistake is where the thing began
  const char* message;
  const char* hint;
};

constexpr std::array explanations{
    Explanation{"mapping values are not allowed", "", false, "a ':' is not allowed here",
                "is the line indented as its neighbours are, does the key before it end with ':', and does "
                "text that contains ': ' stand in quotes?"},
    Explanation{"could not find expected ':'", "simple key", true,
                "this line does not fit into the map around it",
                "is it indented as its neighbours are, and does its key end with ':'?"},
    Explanation{"did not find expected key", "block mapping", false,
                "this line does not fit into the map around it",
                "is it indented as its neighbours are, and does its key end with ':'?"},
    Explanation{"did not find expected '-' indicator", "", false,
                "this line does not fit into the list around it",
                "is it indented as its neighbours are, and does it begin with '- '?"},
    Explanation{"did not find expected ',' or ']'", "", false,
                "a list that began with '[' is not closed before this", "is a ']' or a ',' missing?"},
    Explanation{"did not find expected ',' or '}'", "", false,
                "a map that began with '{' is not closed before this", "is a '}' or a ',' missing?"},
    Explanation{"found unexpected end of stream", "quoted scalar", true,
                "the text that begins here runs to the end of the file", "is a closing quote missing?"},
    Explanation{"found unexpected document indicator", "quoted scalar", true,
                "the text that begins here is not closed", "is a closing quote missing?"},
    Explanation{"did not find expected alphabetic or numeric character", "alias", true,
                "'*' begins the name of an alias, and none follows",
                "put text that begins with '*' in quotes"},
    Explanation{"did not find expected alphabetic or numeric character", "anchor", true,
                "'&' begins the name of an anchor, and none follows",
                "put text that begins with '&' in quotes"},
    Explanation{"found character that cannot start any token", "", false, "no text can begin like this",
                "put it in quotes"},
    Explanation{"block sequence entries are not allowed", "", false, "a list cannot begin here",
                "begin it on a line of its own"},
    Explanation{"did not find expected <document start>", "", false, "the document has ended before this",
                "is the line indented as its neighbours are?"},
    Explanation{"control characters are not allowed", "", false, "there is a control character here",
                "is this a text file?"},
    Explanation{"invalid leading UTF-8", "", false, "these bytes are no UTF-8", "save the file as UTF-8"},
    Explanation{"invalid trailing UTF-8", "", false, "these bytes are no UTF-8", "save the file as UTF-8"},
    Explanation{"incomplete UTF-8", "", false, "these bytes are no UTF-8", "save the file as UTF-8"},
};

bool fits(const Explanation& explanation, const SyntaxError& error) {
  return error.problem.starts_with(explanation.problem) &&
         error.context.find(explanation.context) != std::string_view::npos;
}

/// The place in the text, the end of its last line when it is behind that.
SourceMark place_of(std::string_view text, const std::string& name, const yaml_mark_t& mark) {
  const int lines =
      static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
  const int line = static_cast<int>(mark.line) + 1;
  if (line > lines) return {name, lines, static_cast<int>(line_of(text, lines).size()) + 1};
  return {name, line, static_cast<int>(mark.column) + 1};
}

}  // namespace

Diagnostic syntax_message(std::string_view text, const std::string& name, const SyntaxError& error) {
  const auto found = std::find_if(explanations.begin(), explanations.end(),
                                  [&](const Explanation& candidate) { return fits(candidate, error); });
  const bool explained = found != explanations.end();
  const SourceMark mark =
      place_of(text, name, explained && found->at_context ? error.context_mark : error.mark);
  for (int line = std::max(1, mark.line - 1); line <= mark.line; ++line) {
    const std::string_view content = line_of(text, line);
    if (!indented_by_tab(content)) continue;
    return {Severity::error,
            {name, line, static_cast<int>(content.find('\t')) + 1},
            "YAML syntax: a tab in the indentation",
            "indent with blanks"};
  }
  if (!explained) return {Severity::error, mark, "YAML syntax: " + std::string(error.problem), ""};
  return {Severity::error, mark, std::string("YAML syntax: ") + found->message, found->hint};
}

}  // namespace zz::core::yaml
