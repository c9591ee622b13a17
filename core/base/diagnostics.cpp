#include "core/base/diagnostics.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/short_quotes.hpp"
#include "core/base/text.hpp"

namespace zz::core {
namespace {

constexpr std::size_t longest_line_shown = 160;
/// Limit for each severity. docs/limits.md names it.
constexpr int most_problems_kept = 100;

/// Lines of files. Lines that are asked for in ascending order are read once.
class LineReader {
 public:
  /// False when the file cannot be read (any more) or is shorter.
  bool read(const SourceMark& mark, std::string& line) {
    if (mark.file != file_ || mark.line < number_) {
      std::error_code unknown;
      stream_ =
          std::filesystem::is_regular_file(mark.file, unknown) ? std::ifstream(mark.file) : std::ifstream();
      file_ = mark.file;
      number_ = 0;
    }
    while (number_ < mark.line && std::getline(stream_, line_)) ++number_;
    line = line_;
    return number_ == mark.line && stream_.is_open();
  }

 private:
  std::string file_, line_;
  std::ifstream stream_;
  int number_ = 0;
};

/// The line with a caret below the column; empty when the line cannot be read.
std::string excerpt(const SourceMark& mark, LineReader& lines) {
  if (mark.file.empty() || mark.line <= 0) return "";
  std::string line;
  if (!lines.read(mark, line)) return "";
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

constexpr std::string_view error_word = "error: ";

/// Lines of files that one message repeats, with what they are wrong in.
constexpr int most_lines_shown = 20;

/// As it is kept and shown: what a file names may be as long as files are.
std::string shortened(std::string message) { return message_text(with_short_quotes(std::move(message))); }

std::string text_of(const Diagnostic& diagnostic) {
  std::string text = to_string(diagnostic.mark);
  if (!text.empty()) text += ": ";
  text += diagnostic.severity == Severity::error ? error_word : "warning: ";
  text += printable(shortened(diagnostic.message));
  if (!diagnostic.hint.empty()) text += "; " + printable(shortened(diagnostic.hint));
  return text;
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  LineReader lines;
  std::string text;
  int shown = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    // Without a place, who catches the exception says that it is an error, and of what.
    const bool alone = diagnostics.size() == 1 && to_string(diagnostic.mark).empty();
    const std::string line = shown < most_lines_shown ? excerpt(diagnostic.mark, lines) : "";
    if (!line.empty()) ++shown;
    const std::string whole = text_of(diagnostic) + line;
    text += alone && diagnostic.severity == Severity::error ? whole.substr(error_word.size()) : whole;
  }
  return text;
}

Diagnostic shortened(Diagnostic diagnostic) {
  diagnostic.message = shortened(std::move(diagnostic.message));
  diagnostic.hint = shortened(std::move(diagnostic.hint));
  return diagnostic;
}

std::vector<Diagnostic> shortened(std::vector<Diagnostic> diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) diagnostic = shortened(std::move(diagnostic));
  return diagnostics;
}

/// Appends the `number`th problem of its severity. The first one beyond the limit is replaced by a word
/// about the others: an input with so many has one cause for most of them.
void keep(std::vector<Diagnostic>& all, Diagnostic diagnostic, int number) {
  if (number > most_problems_kept + 1) return;
  if (number > most_problems_kept) {
    diagnostic = {
        diagnostic.severity, SourceMark{diagnostic.mark.file},
        fmt::format("there are more {} than the first {}, which are listed",
                    diagnostic.severity == Severity::error ? "errors" : "warnings", most_problems_kept),
        ""};
  }
  all.push_back(shortened(std::move(diagnostic)));
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  LineReader lines;
  return text_of(diagnostic) + excerpt(diagnostic.mark, lines);
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(shortened(std::move(diagnostics))) {}

InputError::InputError(const std::string& message)
    : InputError(std::vector<Diagnostic>{{Severity::error, {}, message, ""}}) {}

bool has_errors(const std::vector<Diagnostic>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Diagnostic& problem) { return problem.severity == Severity::error; });
}

void Diagnostics::error(SourceMark mark, std::string message, std::string hint) {
  add({Severity::error, std::move(mark), std::move(message), std::move(hint)});
}

void Diagnostics::warning(SourceMark mark, std::string message, std::string hint) {
  add({Severity::warning, std::move(mark), std::move(message), std::move(hint)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  int& count = diagnostic.severity == Severity::error ? errors_ : warnings_;
  keep(all_, std::move(diagnostic), ++count);
}

std::vector<Diagnostic> Diagnostics::take_from(std::size_t count) {
  const auto from = all_.begin() + static_cast<std::ptrdiff_t>(std::min(count, all_.size()));
  std::vector<Diagnostic> taken(std::make_move_iterator(from), std::make_move_iterator(all_.end()));
  all_.erase(from, all_.end());
  // Counted anew: what was told beyond the limit is not among them, and would take the room of later ones.
  errors_ = static_cast<int>(std::count_if(all_.begin(), all_.end(), [](const Diagnostic& problem) {
    return problem.severity == Severity::error;
  }));
  warnings_ = static_cast<int>(all_.size()) - errors_;
  return taken;
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
