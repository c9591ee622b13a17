#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/source_mark.hpp"

namespace zz::core {

enum class Severity { warning, error };

/// One thing that is wrong with the user's input: where, what, and what would be right.
struct Diagnostic {
  Severity severity = Severity::error;
  SourceMark mark;
  std::string message;  ///< "unknown key 'sise' of memory 'l1'"
  std::string hint;     ///< "did you mean 'size'?"; may be empty
};

/// "file:12:9: error: message; hint", followed, when the file can be read, by the offending line and
/// a caret below the column.
std::string to_string(const Diagnostic& diagnostic);

bool has_errors(const std::vector<Diagnostic>& problems);

/// Thrown when input cannot be used. Carries every problem found, not only the first.
/// what() is all of them, one after the other.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  /// One problem without a place in a file.
  explicit InputError(const std::string& message);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A search whose space holds nothing legal: a value with a reason, not a fault. Names the layer and
/// which constraint rejected how many candidates.
class NoResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A search that looked at a part of its space and found nothing there: it proves nothing. Names what would
/// look further.
class NotFound : public NoResult {
 public:
  using NoResult::NoResult;
};

/// Collects problems while a file is read, so that a user sees all of them at once.
class Diagnostics {
 public:
  void error(SourceMark mark, std::string message, std::string hint = "");
  void warning(SourceMark mark, std::string message, std::string hint = "");
  void add(Diagnostic diagnostic);
  bool has_errors() const { return errors_ > 0; }
  const std::vector<Diagnostic>& all() const { return all_; }
  /// Removes all but the first `count` problems and returns them: a way that is not taken after all.
  std::vector<Diagnostic> take_from(std::size_t count);
  /// Throws InputError with the errors (not the warnings) when there are any.
  void throw_if_errors() const;

 private:
  std::vector<Diagnostic> all_;
  int errors_ = 0, warnings_ = 0;
};

}  // namespace zz::core
