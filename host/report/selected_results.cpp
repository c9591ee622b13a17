#include "host/report/selected_results.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"

namespace zz::host {

void fail(const Selection& selection, const std::string& message, const std::string& hint) {
  throw core::InputError({core::Diagnostic{core::Severity::error, {selection.file, 0, 0}, message, hint}});
}

bool SelectedResults::next() {
  const auto& numbers = selection_.numbers;
  while (reader_.next(evaluation_, extra_)) {
    if (numbers.empty() || numbers.count(number()) > 0) return true;
  }
  if (!numbers.empty() && *numbers.rbegin() > number()) {
    fail(selection_, fmt::format("there is no result {}; the archive has {}", *numbers.rbegin(), number()));
  }
  return false;
}

}  // namespace zz::host
