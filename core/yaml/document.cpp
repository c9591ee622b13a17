#include "core/yaml/document.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "core/yaml/node_builder.hpp"

namespace zz::core::yaml {
namespace {

[[noreturn]] void fail(SourceMark mark, std::string message, std::string hint = "") {
  throw InputError(
      std::vector<Diagnostic>{{Severity::error, std::move(mark), std::move(message), std::move(hint)}});
}

std::string line_of(const std::string& text, int number) {
  std::size_t begin = 0;
  for (int line = 1; line < number; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return "";
    ++begin;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// True when the indentation of the line has a tab and is not just an empty line or a comment.
bool indented_by_tab(const std::string& line) {
  const std::size_t content = line.find_first_not_of(" \t\r");
  if (content == std::string::npos || line[content] == '#') return false;
  return line.find('\t') < content;
}

/// What is wrong in words that tell a user what to look for, from the message of yaml-cpp.
std::pair<std::string, std::string> explain(const std::string& cause) {
  if (cause.find("illegal map value") != std::string::npos) {
    return {"YAML syntax: a ':' is not allowed here",
            "is the line indented as its neighbours are, does the key before it end with ':', and does "
            "text that "
            "contains ': ' stand in quotes?"};
  }
  if (cause.find("end of map not found") != std::string::npos) {
    return {"YAML syntax: this line does not fit into the map around it",
            "is it indented as its neighbours are, and does its key end with ':'?"};
  }
  if (cause.find("end of sequence not found") != std::string::npos) {
    return {"YAML syntax: this line does not fit into the list around it",
            "is it indented as its neighbours are, and does it begin with '- '?"};
  }
  if (cause.find("end of sequence flow not found") != std::string::npos) {
    return {"YAML syntax: a list that began with '[' is not closed before this",
            "is a ']' or a ',' missing?"};
  }
  if (cause.find("end of map flow not found") != std::string::npos) {
    return {"YAML syntax: a map that began with '{' is not closed before this",
            "is a '}' or a ',' missing?"};
  }
  if (cause.find("illegal EOF in scalar") != std::string::npos) {
    return {"YAML syntax: the file ends within quotes", "is a closing quote missing?"};
  }
  if (cause.find("referenced anchor") != std::string::npos) {
    return {"YAML syntax: this alias names an anchor that is not defined before it", ""};
  }
  return {"YAML syntax: " + cause, ""};
}

[[noreturn]] void fail_with_syntax_error(const std::string& text, const std::string& name,
                                         const YAML::Exception& exception) {
  SourceMark mark{name, 0, 0};
  if (!exception.mark.is_null()) mark = {name, exception.mark.line + 1, exception.mark.column + 1};
  const int lines =
      static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
  if (mark.line > lines) mark = {name, lines, static_cast<int>(line_of(text, lines).size()) + 1};
  auto [message, hint] = explain(exception.msg);
  if (mark.line > 0) {
    for (int line = std::max(1, mark.line - 1); line <= mark.line; ++line) {
      const std::string content = line_of(text, line);
      if (!indented_by_tab(content)) continue;
      fail({name, line, static_cast<int>(content.find('\t')) + 1}, "YAML syntax: a tab in the indentation",
           "indent with blanks");
    }
  }
  fail(mark, message, hint);
}

}  // namespace

Node load_text(const std::string& text, const std::string& name, Diagnostics& diagnostics) {
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    fail({name, 0, 0}, "this is not a text file", "a YAML file is expected here");
  }
  // yaml-cpp takes the end of the file for a closing quote; a comment behind it shows up in such text.
  std::istringstream stream(text + "\n" + NodeBuilder::end_of_text);
  NodeBuilder builder(name, diagnostics);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      fail({name, 0, 0}, "the file is empty", "a YAML document is expected");
    Node root = builder.take_root();
    NodeBuilder second(name, diagnostics);
    if (parser.HandleNextDocument(second)) {
      fail(second.take_root().mark, "a second YAML document begins before this",
           "one file holds one document");
    }
    if (root.is_null()) fail({name, 0, 0}, "the file is empty", "a YAML document is expected");
    return root;
  } catch (const YAML::Exception& exception) {
    fail_with_syntax_error(text, name, exception);
  }
}

Node load_file(const std::string& path, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail({path, 0, 0}, "this is a folder", "a YAML file is expected");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "unknown reason";
    fail({path, 0, 0}, "cannot open the file: " + reason);
  }
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) fail({path, 0, 0}, "cannot read the file");
  return load_text(content.str(), path, diagnostics);
}

}  // namespace zz::core::yaml
