#include <fmt/format.h>

#include "host/command_line/completion.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {
namespace {

constexpr const char* opening = R"sh(#compdef zz-host
# zsh completion for zz-host; made by `zz-host completion zsh`

_zz_host_stages() {
  local -a names
  names=(${(f)"$(_call_program stages ${(q)zz_host_command} stages --format=names 2>/dev/null)"})
  compadd -a names
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

/// For a place inside single quotes, in a specification of _arguments.
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
    default:
      return " ";
  }
}

std::string options_of(const Verb& verb) {
  std::string text;
  for (const OptionInfo& option : option_list(verb)) {
    const std::string value = option.takes_value ? fmt::format(":{}:{}", escaped(option.value),
                                                               action(value_candidates(verb, option.name)))
                                                 : "";
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
    const Candidates operand = operand_candidates(*verb);
    const std::string rest =
        operand.kind == Completes::nothing
            ? "        && return"
            : fmt::format("        '*:{}:{}'", escaped(verb->operands), action(operand));
    std::string options = options_of(*verb);
    if (operand.kind == Completes::nothing) options.erase(options.rfind(" \\\n"));
    cases += fmt::format("    {})\n      _arguments -s \\\n{}{} ;;\n", verb->name, options,
                         operand.kind == Completes::nothing ? "" : rest);
  }
  return std::string(opening) + list + middle + cases + closing;
}

}  // namespace zz::host
