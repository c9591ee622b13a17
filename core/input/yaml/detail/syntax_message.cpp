#include "core/input/yaml/detail/syntax_message.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "core/base/text.hpp"

namespace zz::core::yaml {
namespace {

namespace problem = YAML::ErrorMsg;

constexpr std::size_t npos = std::string_view::npos;

std::size_t line_begin(std::string_view text, std::size_t byte) {
  return byte == 0 ? 0 : text.rfind('\n', byte - 1) + 1;
}

/// The place of a byte, its column counted in characters. Behind the last line, the end of that line.
SourceMark place_of(std::string_view text, const std::string& name, std::size_t byte) {
  byte = std::min(byte, text.size());
  if (byte == text.size() && text.ends_with('\n')) --byte;
  const std::string_view before = text.substr(0, byte);
  const std::string_view in_line = before.substr(line_begin(text, byte));
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return {name, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(std::count_if(in_line.begin(), in_line.end(), begins_character)) + 1};
}

Diagnostic syntax_error(SourceMark mark, std::string_view message, std::string hint) {
  return {Severity::error, std::move(mark), "YAML syntax: " + std::string(message), std::move(hint)};
}

bool is_blank(std::string_view text, std::size_t byte) {
  return byte >= text.size() || std::string_view(" \t\r\n").find(text[byte]) != npos;
}

/// The end of the text that is quoted from `quote` on.
std::size_t closing_quote(std::string_view text, std::size_t quote) {
  for (std::size_t i = quote + 1; i < text.size(); ++i) {
    const bool escapes = text[quote] == '"' ? text[i] == '\\' : text.substr(i, 2) == "''";
    if (escapes) {
      ++i;
    } else if (text[i] == text[quote]) {
      return i;
    }
  }
  return npos;
}

/// Walks over the text without quotes and comments. Calls visit(byte) for each character outside of them
/// until that returns true; returns the byte of a quotation mark that is not closed before `end`, else
/// `end`.
template <class Visit>
std::size_t walk_unquoted(std::string_view text, std::size_t begin, std::size_t end, Visit visit) {
  bool token_may_begin = true;
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
    const char c = text[i];
    if (token_may_begin && (c == '"' || c == '\'')) {
      const std::size_t closing = closing_quote(text, i);
      if (closing >= end) return i;
      i = closing;
      token_may_begin = false;
    } else if (c == '#' && (i == 0 || is_blank(text, i - 1))) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else {
      if (visit(i)) return end;
      if (c == '\n' || c == ',' || c == '[' || c == '{' ||
          ((c == ':' || c == '-' || c == '?') && is_blank(text, i + 1))) {
        token_may_begin = true;
      } else if (!is_blank(text, i)) {
        token_may_begin = false;
      }
    }
  }
  return end;
}

/// The quotation mark after `begin` that is not closed before `end`; yaml-cpp only says where the text
/// ends.
std::size_t open_quote(std::string_view text, std::size_t begin, std::size_t end) {
  return walk_unquoted(text, begin, end, [](std::size_t) { return false; });
}

/// A line above that of `end` in the position of a key, but without one. yaml-cpp takes it as the beginning
/// of the next key, and its error is about the ':' of that key.
std::size_t line_without_key(std::string_view text, const ParsedSoFar& parsed, std::size_t end) {
  if (!parsed.key_column) return npos;
  const std::size_t last_line = line_begin(text, std::min(end, text.size()));
  for (std::size_t line = text.find('\n', parsed.begin); line < last_line; line = text.find('\n', line)) {
    ++line;
    const std::size_t content = text.find_first_not_of(' ', line);
    if (content - line == *parsed.key_column && content < last_line && !is_blank(text, content) &&
        text[content] != '#')
      return content;
  }
  return npos;
}

/// The bracket from `begin` on that is open before `end`, or 0.
char open_bracket(std::string_view text, std::size_t begin, std::size_t end) {
  int closed = 0;
  for (std::size_t i = end; i-- > begin;) {
    if (text[i] == ']' || text[i] == '}') ++closed;
    if ((text[i] == '[' || text[i] == '{') && closed-- == 0) return text[i];
  }
  return 0;
}

struct Explanation {
  std::string_view problem;  ///< yaml-cpp's words
  const char* message;
  const char* hint;
};

const std::array explanations{
    Explanation{problem::END_OF_MAP, "this line does not fit into the map around it",
                "is it indented as its neighbours are, and does its key end with ':'?"},
    Explanation{problem::MAP_VALUE, "a ':' is not allowed here",
                "is the line indented as its neighbours are, does the key before it end with ':', and does "
                "text that contains ': ' stand in quotes?"},
    Explanation{problem::END_OF_SEQ, "this line does not fit into the list around it",
                "is it indented as its neighbours are, and does it begin with '- '?"},
    Explanation{problem::END_OF_SEQ_FLOW, "a list that began with '[' is not closed before this",
                "is a ']' or a ',' missing?"},
    Explanation{problem::END_OF_MAP_FLOW, "a map that began with '{' is not closed before this",
                "is a '}' or a ',' missing?"},
    Explanation{problem::EOF_IN_SCALAR, "the text that begins here runs to the end of the file",
                "is a closing quote missing?"},
    Explanation{problem::DOC_IN_SCALAR, "the text that begins here is not closed",
                "is a closing quote missing?"},
    Explanation{problem::ALIAS_NOT_FOUND, "'*' begins the name of an alias, and none follows",
                "put text that begins with '*' in quotes"},
    Explanation{problem::CHAR_IN_ALIAS, "'*' begins the name of an alias, and none follows",
                "put text that begins with '*' in quotes"},
    Explanation{problem::ANCHOR_NOT_FOUND, "'&' begins the name of an anchor, and none follows",
                "put text that begins with '&' in quotes"},
    Explanation{problem::CHAR_IN_ANCHOR, "'&' begins the name of an anchor, and none follows",
                "put text that begins with '&' in quotes"},
    Explanation{problem::UNKNOWN_ANCHOR, "this alias names an anchor that is not defined before it",
                "text that begins with '*' must stand in quotes"},
    Explanation{problem::UNKNOWN_TOKEN, "no text can begin like this", "put it in quotes"},
    Explanation{problem::BLOCK_ENTRY, "a list cannot begin here", "begin it on a line of its own"},
    Explanation{problem::FLOW_END, "nothing is open that could be closed here",
                "text that begins with ']' or '}' must stand in quotes"},
};

/// The position of a tab in the indentation of the line that begins at `line`. Empty lines and comments do
/// not count.
std::size_t tab_of_line(std::string_view text, std::size_t line) {
  const std::size_t content = text.find_first_not_of(" \t\r", line);
  if (content == npos || text[content] == '\n' || text[content] == '#') return npos;
  const std::size_t tab = text.find('\t', line);
  return tab < content ? tab : npos;
}

}  // namespace

bool is_indented_by_tab(std::string_view text, std::size_t byte) {
  return tab_of_line(text, line_begin(text, byte)) < byte;
}

Diagnostic syntax_message(std::string_view text, const std::string& name, const YAML::Exception& error,
                          const ParsedSoFar& parsed) {
  std::size_t at = std::min(static_cast<std::size_t>(std::max(0, error.mark.pos)), text.size());
  std::string_view what = error.msg;
  if (what.starts_with(problem::UNKNOWN_ANCHOR)) {
    what = problem::UNKNOWN_ANCHOR;  // yaml-cpp 0.8 adds the name
  } else if (what == problem::MAP_VALUE) {
    if (const std::size_t line = line_without_key(text, parsed, at); line != npos) {
      at = line;
      what = problem::END_OF_MAP;
    }
  } else if (what == problem::EOF_IN_SCALAR || what == problem::DOC_IN_SCALAR) {
    // The end of the text is marked as the end of a document.
    what = at == text.size() ? problem::EOF_IN_SCALAR : problem::DOC_IN_SCALAR;
    at = open_quote(text, parsed.begin, at);
  } else if ((what == problem::ALIAS_NOT_FOUND || what == problem::ANCHOR_NOT_FOUND) && at > 0) {
    --at;
  } else if (what == problem::FLOW_END) {
    // The bracket is of the other kind.
    const char bracket = open_bracket(text, parsed.begin, at);
    if (bracket != 0) what = bracket == '[' ? problem::END_OF_SEQ_FLOW : problem::END_OF_MAP_FLOW;
  }
  const std::size_t line = line_begin(text, at);
  for (const std::size_t begin : {line == 0 ? 0 : line_begin(text, line - 1), line}) {
    if (const std::size_t tab = tab_of_line(text, begin); tab != npos)
      return syntax_error(place_of(text, name, tab), "a tab in the indentation", "indent with blanks");
  }
  const auto* const found = std::find_if(explanations.begin(), explanations.end(),
                                         [&](const Explanation& each) { return each.problem == what; });
  if (found == explanations.end()) return syntax_error(place_of(text, name, at), what, "");
  return syntax_error(place_of(text, name, at), found->message, found->hint);
}

Diagnostic too_deep(SourceMark mark, std::size_t most_levels) {
  return syntax_error(std::move(mark),
                      fmt::format("lists and maps are nested more than {} levels deep", most_levels), "");
}

std::optional<Diagnostic> brackets_message(std::string_view text, const std::string& name,
                                           std::size_t most_levels, std::size_t most_values) {
  std::size_t levels = 0, values = 0;
  std::optional<Diagnostic> wrong;
  walk_unquoted(text, 0, text.size(), [&](std::size_t byte) {
    const char c = text[byte];
    if (c == '[' || c == '{') ++levels;
    if ((c == ']' || c == '}') && levels > 0) --levels;
    // Outside brackets the parser keeps the limits.
    if (levels > 0 && (c == ',' || c == '[' || c == '{')) ++values;
    if (levels > most_levels) {
      wrong = too_deep(place_of(text, name, byte), most_levels);
    } else if (values > most_values) {
      wrong = syntax_error(place_of(text, name, byte),
                           fmt::format("there are more than {} values in brackets", most_values), "");
    }
    return wrong.has_value();
  });
  return wrong;
}

std::optional<Diagnostic> character_message(std::string_view text, const std::string& name) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0)
      return syntax_error(place_of(text, name, i), "these bytes are no UTF-8", "save the file as UTF-8");
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f)
      return syntax_error(place_of(text, name, i), "there is a control character here",
                          "is this a text file?");
    i += length;
  }
  return std::nullopt;
}

}  // namespace zz::core::yaml
