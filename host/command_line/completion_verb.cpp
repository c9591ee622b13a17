#include <fmt/format.h>

#include "core/diagnostics/nearest_name.hpp"
#include "host/command_line/completion.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::host {

int completion_verb(const Options& options) {
  const std::string& shell = options.operands.front();
  if (shell == "bash") {
    fmt::print("{}", bash_completion());
  } else if (shell == "zsh") {
    fmt::print("{}", zsh_completion());
  } else if (shell == "fish") {
    fmt::print("{}", fish_completion());
  } else {
    throw UsageError(fmt::format("there is no completion for '{}'; {}", shell,
                                 core::suggestion(shell, std::vector<std::string>{"bash", "zsh", "fish"})));
  }
  return static_cast<int>(ExitCode::done);
}

}  // namespace zz::host
