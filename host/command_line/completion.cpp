#include "host/command_line/completion.hpp"

#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "host/command_line/options.hpp"

namespace zz::host {
namespace {

Candidates offered_operands(const Verb& verb) {
  return verb.offered != nullptr ? verb.offered() : Candidates();
}

std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

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
    case Completes::settings:
      return "_zz_host_settings";
    case Completes::layers:
      return "_zz_host_layers";
    default:
      return ":";
  }
}

std::string cases_of_verb(const Verb& verb) {
  std::string words, values;
  for (const OptionInfo& option : option_infos(verb)) {
    words += (words.empty() ? "--" : " --") + option.name;
    if (!option.takes_value) continue;
    std::string names = "--" + option.name;
    if (option.letter != '\0') names += fmt::format("|-{}", option.letter);
    values += fmt::format("        {}) {}; return ;;\n", names, reply(option.offered));
  }
  return fmt::format(
      "    {})\n      case $option in\n{}      esac\n      if [[ $current == -* ]]; then _zz_host_words "
      "'{}'; "
      "else {}; fi ;;\n",
      verb.name, values, words, reply(offered_operands(verb)));
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string> names;
  std::string cases;
  for (const Verb* verb : visible_verbs()) {
    names.emplace_back(verb->name);
    cases += cases_of_verb(*verb);
  }
  return R"sh(# bash completion for zz-host; made by `zz-host completion bash`

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

# "loma_lpf_limit=": the value follows without a blank.
_zz_host_settings() {
  compopt -o nospace 2>/dev/null
  _zz_host_words "$("${COMP_WORDS[0]}" completion settings 2>/dev/null)"
}

# The layers of the pipeline that stands before; else pipelines.
_zz_host_layers() {
  local word
  for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    [[ $word == *.yaml || $word == *.yml ]] || continue
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" completion layers "$word" 2>/dev/null)" -- "$current"))
    return
  done
  _zz_host_files yaml yml
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
    COMPREPLY+=($(compgen -W ')sh" +
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

namespace {

constexpr const char* opening = R"sh(#compdef zz-host
# zsh completion for zz-host; made by `zz-host completion zsh`

_zz_host_stages() {
  local -a names
  names=(${(f)"$(_call_program stages ${(q)zz_host_command} stages --format=names 2>/dev/null)"})
  compadd -a names
}

_zz_host_settings() {
  local -a names
  names=(${(f)"$(_call_program settings ${(q)zz_host_command} completion settings 2>/dev/null)"})
  compadd -S '' -a names
}

_zz_host_layers() {
  local word
  local -a names
  for word in ${words[2,CURRENT-1]}; do
    [[ $word == *.(yaml|yml) ]] || continue
    names=(${(f)"$(_call_program layers ${(q)zz_host_command} completion layers ${(q)word} 2>/dev/null)"})
    compadd -a names
    return
  done
  _files -g "*.(yaml|yml)"
}

_zz_host() {
  local zz_host_command=$words[1]
  local -a verbs
  verbs=(
)sh";

constexpr const char* middle = R"sh(  )
  if ((CURRENT == 2)); then
    _describe verb verbs
    _files -g "*.(yaml|yml)"
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
)sh";

constexpr const char* closing = R"sh(    *)
      _files -g "*.(yaml|yml)" ;;
  esac
}

if [[ $funcstack[1] == _zz-host ]]; then
  _zz_host "$@"
else
  compdef _zz_host zz-host
fi
)sh";

/// Escapes a text for single quotes in a specification of _arguments.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string action(const Candidates& candidates) {
  switch (candidates.kind) {
    case Completes::words:
      return fmt::format("({})", joined(candidates.words));
    case Completes::files:
      return candidates.endings.empty()
                 ? "_files"
                 : fmt::format("_files -g \"*.({})\"", joined(candidates.endings, "|"));
    case Completes::folders:
      return "_files -/";
    case Completes::stages:
      return "_zz_host_stages";
    case Completes::settings:
      return "_zz_host_settings";
    case Completes::layers:
      return "_zz_host_layers";
    default:
      return " ";
  }
}

std::string option_lines(const Verb& verb) {
  std::string text;
  for (const OptionInfo& option : option_infos(verb)) {
    const std::string value =
        option.takes_value ? fmt::format(":{}:{}", escaped(option.value), action(option.offered)) : "";
    const std::string doc = escaped(option.doc);
    const char* repeats = option.repeats ? "*" : "";
    text += fmt::format("        '{}--{}{}[{}]{}' \\\n", repeats, option.name,
                        option.takes_value ? "=" : "", doc, value);
    if (option.letter != '\0')
      text += fmt::format("        '{}-{}{}[{}]{}' \\\n", repeats, option.letter,
                          option.takes_value ? "+" : "", doc, value);
  }
  return text;
}

}  // namespace

std::string zsh_completion() {
  std::string list, cases;
  for (const Verb* verb : visible_verbs()) {
    list += fmt::format("    '{}:{}'\n", verb->name, escaped(verb->summary));
    const Candidates operand = offered_operands(*verb);
    const std::string rest =
        operand.kind == Completes::nothing
            ? "        && return"
            : fmt::format("        '*:{}:{}'", escaped(verb->operands), action(operand));
    std::string options = option_lines(*verb);
    if (operand.kind == Completes::nothing) options.erase(options.rfind(" \\\n"));
    cases += fmt::format("    {})\n      _arguments -s \\\n{}{} ;;\n", verb->name, options,
                         operand.kind == Completes::nothing ? "" : rest);
  }
  return std::string(opening) + list + middle + cases + closing;
}

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
    case Completes::settings:
      return "-x -a '(__zz_host_settings)'";
    case Completes::layers:
      return "-x -a '(__zz_host_layers)'";
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

function __zz_host_settings
    set -l words (commandline -opc)
    command $words[1] completion settings 2>/dev/null
end

function __zz_host_layers
    set -l words (commandline -opc)
    for word in $words[3..-1]
        if string match -qr '\.ya?ml$' -- $word
            command $words[1] completion layers $word 2>/dev/null
            return
        end
    end
    __fish_complete_suffix .yaml
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
    const Candidates operand = offered_operands(*verb);
    if (operand.kind != Completes::nothing)
      text += fmt::format("complete -c zz-host -n {} {}\n", here, offer(operand));
    for (const OptionInfo& option : option_infos(*verb)) {
      text += fmt::format("complete -c zz-host -n {} -l {}", here, option.name);
      if (option.letter != '\0') text += fmt::format(" -s {}", option.letter);
      if (option.takes_value) text += " " + offer(option.offered);
      text += fmt::format(" -d {}\n", quoted(option.doc));
    }
  }
  return text;
}

}  // namespace zz::host
