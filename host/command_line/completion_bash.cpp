#include <fmt/format.h>

#include "host/command_line/completion.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {
namespace {

/// The command that fills COMPREPLY.
std::string reply(const Candidates& candidates) {
  switch (candidates.kind) {
    case Completes::words:
      return fmt::format("_zz_host_words '{}'", joined(candidates.words));
    case Completes::files:
      return candidates.endings.empty() ? "_zz_host_files"
                                        : fmt::format("_zz_host_files {}", joined(candidates.endings));
    case Completes::folders:
      return "_zz_host_folders";
    case Completes::stages:
      return "_zz_host_words \"$(\"${COMP_WORDS[0]}\" stages --format=names 2>/dev/null)\"";
    default:
      return ":";
  }
}

std::string cases_of_verb(const Verb& verb) {
  std::string words, values;
  for (const OptionInfo& option : option_list(verb)) {
    words += (words.empty() ? "--" : " --") + option.name;
    if (!option.takes_value) continue;
    std::string names = "--" + option.name;
    if (option.letter != '\0') names += fmt::format("|-{}", option.letter);
    values += fmt::format("        {}) {}; return ;;\n", names, reply(value_candidates(verb, option.name)));
  }
  return fmt::format(
      "    {})\n      case $option in\n{}      esac\n      if [[ $current == -* ]]; then _zz_host_words "
      "'{}'; "
      "else {}; fi ;;\n",
      verb.name, values, words, reply(operand_candidates(verb)));
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string> names;
  std::string cases;
  for (const Verb* verb : visible_verbs()) {
    names.emplace_back(verb->name);
    cases += cases_of_verb(*verb);
  }
  return R"(# bash completion for zz-host; made by `zz-host completion bash`

_zz_host_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# Files with one of these endings, and folders; any files without arguments.
_zz_host_files() {
  local ending file
  compopt -o filenames 2>/dev/null
  if (($# == 0)); then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
  for ending in "$@"; do
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -X "!*.$ending" -- "$current")
  done
}

_zz_host_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}

_zz_host() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
  COMPREPLY=()
  # "=" is a word of its own.
  if [[ $current == '=' ]]; then
    current=
  elif [[ $option == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
    _zz_host_files yaml yml
    COMPREPLY+=($(compgen -W ')" +
         joined(names) + R"( --help --version' -- "$current"))
    return
  fi
  case $verb in
)" + cases +
         R"(    *)
      _zz_host_files yaml yml ;;
  esac
}

complete -F _zz_host zz-host
)";
}

}  // namespace zz::host
