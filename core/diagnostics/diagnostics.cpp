#include "core/diagnostics/diagnostics.hpp"

#include <fstream>
#include <utility>

#include "core/text/printable.hpp"

namespace zz::core {
namespace {

constexpr std::size_t longest_line_shown = 160;

/// The line with a caret below the column; empty when the file cannot be read (any more).
std::string excerpt(const SourceMark& mark) {
  if (mark.file.empty() || mark.line <= 0) return "";
  std::ifstream file(mark.file);
  std::string line;
  for (int number = 0; number < mark.line; ++number) {
    if (!std::getline(file, line)) return "";
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line.size() > longest_line_shown) return "";
  line = printable(std::move(line));
  std::string text = "\n  " + line;
  if (mark.column <= 0) return text;
  std::string blanks;
  int columns = 1;
  for (const char c : line) {
    if (columns == mark.column) break;
    // Columns count characters: the later bytes of one take no room. A tab keeps its width.
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    blanks += c == '\t' ? '\t' : ' ';
    ++columns;
  }
  if (columns == mark.column) text += "\n  " + blanks + '^';
  return text;
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = to_string(diagnostic.mark);
  if (!text.empty()) text += ": ";
  text += diagnostic.severity == Severity::error ? "error: " : "warning: ";
  text += printable(diagnostic.message);
  if (!diagnostic.hint.empty()) text += "; " + printable(diagnostic.hint);
  return text + excerpt(diagnostic.mark);
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(const std::string& message)
    : InputError(std::vector<Diagnostic>{{Severity::error, {}, message, ""}}) {}

void Diagnostics::error(SourceMark mark, std::string message, std::string hint) {
  all_.push_back({Severity::error, std::move(mark), std::move(message), std::move(hint)});
  ++errors_;
}

void Diagnostics::warning(SourceMark mark, std::string message, std::string hint) {
  all_.push_back({Severity::warning, std::move(mark), std::move(message), std::move(hint)});
}

void Diagnostics::throw_if_errors() const {
  if (!has_errors()) return;
  std::vector<Diagnostic> errors;
  for (const Diagnostic& diagnostic : all_) {
    if (diagnostic.severity == Severity::error) errors.push_back(diagnostic);
  }
  throw InputError(std::move(errors));
}

}  // namespace zz::core
