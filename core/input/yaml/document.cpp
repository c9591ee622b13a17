#include "core/input/yaml/document.hpp"

#include <optional>
#include <system_error>
#include <utility>

#include "core/files/whole_file.hpp"
#include "core/input/yaml/event_parser.hpp"
#include "core/input/yaml/node_builder.hpp"
#include "core/input/yaml/syntax_message.hpp"

namespace zz::core::yaml {
namespace {

[[noreturn]] void fail(SourceMark mark, std::string message, std::string hint = "") {
  throw InputError(
      std::vector<Diagnostic>{{Severity::error, std::move(mark), std::move(message), std::move(hint)}});
}

/// The next document, or nothing at the end of the text.
std::optional<Node> next_document(EventParser& parser, const std::string& name, Diagnostics& diagnostics) {
  Event event;
  do {
    parser.next(event);
    if (event.type() == YAML_STREAM_END_EVENT) return std::nullopt;
  } while (event.type() != YAML_DOCUMENT_START_EVENT);
  NodeBuilder builder(name, diagnostics);
  for (parser.next(event); event.type() != YAML_DOCUMENT_END_EVENT; parser.next(event)) builder.take(event);
  return builder.take_root();
}

}  // namespace

Node load_text(const std::string& text, const std::string& name, Diagnostics& diagnostics) {
  if (text.find('\0') != std::string::npos)
    fail({name, 0, 0}, "this is not a text file", "a YAML file is expected here");
  try {
    EventParser parser(text);
    std::optional<Node> root = next_document(parser, name, diagnostics);
    if (!root) fail({name, 0, 0}, "the file is empty", "a YAML document is expected");
    Diagnostics ignored;
    if (const auto second = next_document(parser, name, ignored))
      fail(second->mark, "a second YAML document begins before this", "one file holds one document");
    if (root->is_null()) fail({name, 0, 0}, "the file is empty", "a YAML document is expected");
    return std::move(*root);
  } catch (const SyntaxError& error) {
    throw InputError(std::vector<Diagnostic>{syntax_message(text, name, error)});
  }
}

Node load_file(const std::string& path, Diagnostics& diagnostics) {
  std::string text;
  try {
    text = read_whole_file(path);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::is_a_directory)
      fail({path, 0, 0}, "this is a folder", "a YAML file is expected");
    fail({path, 0, 0}, "cannot open the file: " + error.code().message());
  }
  return load_text(text, path, diagnostics);
}

}  // namespace zz::core::yaml
