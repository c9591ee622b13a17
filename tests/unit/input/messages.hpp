#pragma once
#include <functional>
#include <string>

#include "core/base/diagnostics.hpp"

namespace zz::test {

/// The errors that `action` throws, one a line, as "line:column message"; empty when it throws none.
inline std::string errors_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const core::InputError& error) {
    std::string text;
    for (const core::Diagnostic& diagnostic : error.diagnostics()) {
      if (!text.empty()) text += '\n';
      text += std::to_string(diagnostic.mark.line) + ":" + std::to_string(diagnostic.mark.column) + " " +
              diagnostic.message;
    }
    return text;
  }
  return "";
}

/// `text` with the first `from` replaced by `to`.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? "not found: " + from : text.replace(at, from.size(), to);
}

}  // namespace zz::test
