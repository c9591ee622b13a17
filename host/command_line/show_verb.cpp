#include <charconv>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/report/problems.hpp"
#include "host/report/show_formats.hpp"

namespace zz::host {
namespace {

std::uint64_t result_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number == 0)
    throw UsageError(fmt::format("'{}' is not the number of a result; they count from 1", text));
  return number;
}

}  // namespace

int show_verb(const Options& options) {
  Selection selection{options.operands.front(), {}};
  for (std::size_t i = 1; i < options.operands.size(); ++i)
    selection.numbers.insert(result_number(options.operands[i]));
  try {
    if (options.format == "json")
      show_json(selection);
    else if (options.format == "csv")
      show_csv(selection);
    else if (options.format == "mapping")
      show_mapping(selection);
    else
      show_table(selection);
  } catch (const core::InputError& error) {
    std::fflush(stdout);
    tell(error);
    return static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace zz::host
