#include <fmt/format.h>
#include <fstream>
#include <string>

#include "core/diagnostics/nearest_name.hpp"
#include "host/command_line/completion.hpp"
#include "host/command_line/exit_code.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/services/host_table.hpp"

namespace zz::host {
int help_verb(const Options& options) {
  fmt::print("{}", help_text(options.operands.empty() ? "" : options.operands.front()));
  return 0;
}

int version_verb(const Options& options) {
  const zz_host& host = host_table();
  fmt::print("zz-host {}\n", host.version);
  if (options.verbose)
    fmt::print("build {}\nstage ABI {}.{}\n", host.build, host.abi_major, host.abi_minor);
  return 0;
}

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

namespace {

constexpr const char* place_of_verbs = "<!-- verbs -->";

/// Escapes the characters with a meaning in Markdown.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*_<>[]\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string section_of(const Verb& verb) {
  std::string text = fmt::format("## zz-host {}", verb.name);
  if (*verb.operands != '\0') text += fmt::format(" {}", plain(verb.operands));
  text += fmt::format("\n\n{}.\n\n", plain(verb.summary));
  for (const OptionInfo& option : option_list(verb)) {
    text += fmt::format("**\\--{}**", option.name);
    if (option.takes_value) text += fmt::format("=*{}*", option.value);
    if (option.letter != '\0')
      text += fmt::format(", **-{}**{}", option.letter,
                          option.takes_value ? fmt::format(" *{}*", option.value) : "");
    text += fmt::format("\n:   {}\n\n", plain(option.doc));
  }
  return text;
}

}  // namespace

int manual_verb(const Options& options) {
  const std::string& file = options.operands.front();
  std::ifstream in(file);
  if (!in) throw UsageError(file + " cannot be read");
  for (std::string line; std::getline(in, line);) {
    if (line != place_of_verbs) {
      fmt::print("{}\n", line);
      continue;
    }
    for (const Verb* verb : visible_verbs()) fmt::print("{}", section_of(*verb));
  }
  return 0;
}

}  // namespace zz::host
