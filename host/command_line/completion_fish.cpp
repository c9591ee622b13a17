#include <fmt/format.h>

#include "host/command_line/completion.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// The arguments of `complete` that offer the candidates.
std::string offer(const Candidates& candidates) {
  switch (candidates.kind) {
    case Completes::words:
      return fmt::format("-x -a {}", quoted(joined(candidates.words)));
    case Completes::files: {
      if (candidates.endings.empty()) return "-F";
      std::vector<std::string> calls;
      for (const std::string& ending : candidates.endings)
        calls.push_back("(__fish_complete_suffix ." + ending + ")");
      return fmt::format("-k -x -a {}", quoted(joined(calls)));
    }
    case Completes::folders:
      return "-x -a '(__fish_complete_directories)'";
    case Completes::stages:
      return "-x -a '(__zz_host_stages)'";
    default:
      return "-x";
  }
}

}  // namespace

std::string fish_completion() {
  std::string text = R"(# fish completion for zz-host; made by `zz-host completion fish`

function __zz_host_stages
    set -l words (commandline -opc)
    command $words[1] stages --format=names 2>/dev/null
end

complete -c zz-host -f
)";
  std::vector<std::string> names;
  for (const Verb* verb : visible_verbs()) names.emplace_back(verb->name);
  const std::string none = fmt::format("'not __fish_seen_subcommand_from {}'", joined(names));
  text += fmt::format("complete -c zz-host -n {} -k -a '(__fish_complete_suffix .yaml)'\n", none);
  for (const Verb* verb : visible_verbs()) {
    text += fmt::format("complete -c zz-host -n {} -a {} -d {}\n", none, verb->name, quoted(verb->summary));
  }
  for (const Verb* verb : visible_verbs()) {
    const std::string here = fmt::format("'__fish_seen_subcommand_from {}'", verb->name);
    const Candidates operand = operand_candidates(*verb);
    if (operand.kind != Completes::nothing)
      text += fmt::format("complete -c zz-host -n {} {}\n", here, offer(operand));
    for (const OptionInfo& option : option_list(*verb)) {
      text += fmt::format("complete -c zz-host -n {} -l {}", here, option.name);
      if (option.letter != '\0') text += fmt::format(" -s {}", option.letter);
      if (option.takes_value) text += " " + offer(value_candidates(*verb, option.name));
      text += fmt::format(" -d {}\n", quoted(option.doc));
    }
  }
  return text;
}

}  // namespace zz::host
