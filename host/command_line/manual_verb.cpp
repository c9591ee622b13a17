#include <fmt/format.h>
#include <fstream>
#include <string>

#include "host/command_line/completion.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"

namespace zz::host {
namespace {

constexpr const char* place_of_verbs = "<!-- verbs -->";

/// What Markdown would take for markup.
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
