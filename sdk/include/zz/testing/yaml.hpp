// zz/testing/yaml.hpp - the YAML that the in-memory host reads: block and flow maps and lists, texts with
// and without quotes, comments, each with its place. Whatever else YAML has (anchors, tags, texts of
// several lines, several documents) is refused with its place; zz-host reads that, too.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

struct YamlMark {  // counted from 1
  uint32_t line = 1, column = 1;
};

struct YamlNode {
  enum Kind { null, scalar, list, map };
  Kind kind = null;
  YamlMark mark;
  std::string text;             // of a scalar, as written
  bool quoted = false;          // it is text, never a number
  std::vector<YamlNode> keys;   // of a map: scalars
  std::vector<YamlNode> items;  // of a list; of a map, a value for each key
};

struct YamlError : std::runtime_error {
  YamlError(YamlMark mark, const std::string& text) : std::runtime_error(text), mark(mark) {}
  YamlMark mark;
};

class YamlReader {
 public:
  // The one document of a text. Throws YamlError.
  static YamlNode read(std::string_view text) {
    YamlReader reader(text);
    reader.to_next_token();
    if (reader.here_is("---")) reader.take(3), reader.to_next_token();
    if (reader.at_end()) reader.fail("the file is empty: a YAML document is expected");
    YamlNode node = reader.block(1);
    reader.to_next_token();
    if (!reader.at_end()) reader.fail("the document is over, and more follows");
    return node;
  }

 private:
  explicit YamlReader(std::string_view text) : text_(text) {}

  bool at_end() const { return next_ == text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\n';
  }
  bool here_is(std::string_view token) const { return text_.substr(next_, token.size()) == token; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  bool here_is_item() const { return peek() == '-' && is_blank(peek(1)); }
  void take(std::size_t n = 1) {
    for (; n > 0; --n) {
      if (text_[next_++] != '\n') {
        ++mark_.column;
      } else {
        ++mark_.line;
        mark_.column = 1;
      }
    }
  }
  [[noreturn]] void fail(const std::string& text) const { throw YamlError(mark_, text); }
  YamlNode begin(YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.mark = mark_;
    return node;
  }

  // Over blanks and comments; to the end of the line, or on to the next lines.
  void to_token_of_line() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\r')) take();
    if (peek() == '#' && (next_ == 0 || is_blank(text_[next_ - 1])))
      while (!at_end() && peek() != '\n') take();
  }
  void to_next_token() {
    for (to_token_of_line(); !at_end() && peek() == '\n'; to_token_of_line()) take();
    const std::size_t line = text_.rfind('\n', next_ ? next_ - 1 : 0);
    const std::size_t start = line == std::string_view::npos || next_ == 0 ? 0 : line + 1;
    if (!at_end() &&
        text_.substr(start, next_ - start).find_first_not_of(" \t") == std::string_view::npos &&
        text_.substr(start, next_ - start).find('\t') != std::string_view::npos)
      fail("a line begins with a tab: YAML wants blanks");
  }

  // What begins here, in this column or further right; null when nothing does.
  YamlNode block(uint32_t column) {
    if (at_end() || mark_.column < column) return begin(YamlNode::null);
    if (here_is_item()) return block_list();
    YamlNode node = flow(false);
    if (node.kind == YamlNode::scalar && here_is_colon()) return block_map(std::move(node));
    end_of_line();
    return node;
  }
  bool here_is_colon() const { return peek() == ':' && is_blank(peek(1)); }
  void end_of_line() {
    to_token_of_line();
    if (here_is_colon()) fail("a ':' that begins no value here: quote the text if it belongs to it");
    if (!at_end() && peek() != '\n') fail(std::string("'") + peek() + "' is not expected here");
  }

  YamlNode block_list() {
    YamlNode list = begin(YamlNode::list);
    const uint32_t column = mark_.column;
    while (!at_end() && mark_.column == column && here_is_item()) {
      take();
      const YamlMark after_dash = mark_;
      to_next_token();
      list.items.push_back(block(column + 1));
      if (list.items.back().kind == YamlNode::null) list.items.back().mark = after_dash;
      to_next_token();
    }
    if (!at_end() && mark_.column > column) fail("this line begins too far right for the list above");
    return list;
  }

  YamlNode block_map(YamlNode first_key) {
    YamlNode map = begin(YamlNode::map);
    map.mark = first_key.mark;
    const YamlMark start = first_key.mark;
    for (YamlNode key = std::move(first_key);;) {
      take();  // the colon
      to_token_of_line();
      const bool on_this_line = !at_end() && peek() != '\n';
      YamlNode value;
      if (on_this_line) {
        value = flow(false);
        end_of_line();
      } else {
        to_next_token();
        const bool list_below = mark_.column == start.column && here_is_item();
        value = list_below ? block_list() : block(start.column + 1);
      }
      if (value.kind == YamlNode::null && !on_this_line) value.mark = key.mark;
      map.keys.push_back(std::move(key));
      map.items.push_back(std::move(value));
      to_next_token();
      if (at_end() || mark_.column < start.column) return map;
      if (mark_.column > start.column) fail("this line begins too far right for the map above");
      if (here_is_item()) return map;
      key = flow(false);
      if (key.kind != YamlNode::scalar || !here_is_colon())
        throw YamlError(key.mark, "a line of a map is written 'key: value'");
    }
  }

  // A text, or a list or map in brackets. `inside` brackets, some characters end a text.
  YamlNode flow(bool inside) {
    const char c = peek();
    if (c == '[' || c == '{') return in_brackets();
    if (c == '"' || c == '\'') return in_quotes();
    if (here_is_item()) fail("a list in lines begins on a line of its own");
    if (std::string_view("&*!|>%@`]},").find(c) != std::string_view::npos)
      fail(std::string("'") + c +
           "' at the beginning of a text means something in YAML that this host does not read");
    YamlNode node = begin(YamlNode::scalar);
    while (!at_end() && peek() != '\n' && !here_is_colon() &&
           !(inside && std::string_view(",[]{}").find(peek()) != std::string_view::npos) &&
           !(peek() == '#' && is_blank(text_[next_ - 1]))) {
      node.text += peek();
      take();
    }
    node.text.erase(node.text.find_last_not_of(" \t\r") + 1);
    if (node.text.empty() || node.text == "~" || node.text == "null" || node.text == "Null" ||
        node.text == "NULL")
      node.kind = here_is_colon() && !node.text.empty() ? YamlNode::scalar : YamlNode::null;
    return node;
  }

  YamlNode in_brackets() {
    const bool is_map = peek() == '{';
    const char closing = is_map ? '}' : ']';
    YamlNode node = begin(is_map ? YamlNode::map : YamlNode::list);
    take();
    for (to_next_token(); peek() != closing || at_end(); to_next_token()) {
      if (at_end())
        throw YamlError(node.mark, std::string("there is no '") + closing + "' for this bracket");
      YamlNode part = flow(true);
      to_next_token();
      if (is_map) {
        if (part.kind != YamlNode::scalar) throw YamlError(part.mark, "a key must be a text");
        node.keys.push_back(std::move(part));
        part = YamlNode{};
        part.mark = node.keys.back().mark;
        if (peek() == ':') {
          take(), to_next_token();
          if (peek() != ',' && peek() != closing) part = flow(true), to_next_token();
        }
      }
      node.items.push_back(std::move(part));
      if (peek() == ',' && !at_end()) {
        take();
      } else if (!at_end() && peek() != closing) {
        fail(std::string("',' or '") + closing + "' is expected here");
      }
    }
    take();
    return node;
  }

  YamlNode in_quotes() {
    YamlNode node = begin(YamlNode::scalar);
    node.quoted = true;
    const char quote = peek();
    for (take(); at_end() || peek() != quote || (quote == '\'' && peek(1) == quote); take()) {
      if (at_end() || peek() == '\n')
        throw YamlError(node.mark, "this text has no closing quote on its line");
      if (quote == '\'' && peek() == quote) take();
      if (quote == '"' && peek() == '\\') {
        take();
        static constexpr std::string_view letters = "nt0r", meant("\n\t\0\r", 4);
        const std::size_t which = letters.find(peek());
        if (which == std::string_view::npos && peek() != '"' && peek() != '\\' && peek() != '/')
          fail(std::string("this host does not read '\\") + peek() + "'");
        node.text += which == std::string_view::npos ? peek() : meant[which];
      } else {
        node.text += peek();
      }
    }
    take();
    return node;
  }

  std::string_view text_;
  std::size_t next_ = 0;
  YamlMark mark_;
};

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
