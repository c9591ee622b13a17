#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "host/base/exit_code.hpp"
#include "host/boundary/host_table.hpp"
#include "host/command_line/completion.hpp"
#include "host/command_line/options.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

void print(const Json& json) { fmt::print("{}\n", core::json_text(json, {.indent = 2})); }

Json json_of(const Verb& verb) {
  Json options = Json::array();
  for (const OptionInfo& option : option_list(verb)) {
    Json one{{"name", option.name}, {"meaning", option.doc}, {"repeatable", option.repeats}};
    if (option.letter != '\0') one["letter"] = std::string(1, option.letter);
    if (option.takes_value) one["value"] = option.value;
    options.push_back(std::move(one));
  }
  return {{"name", verb.name},
          {"operands", verb.operands},
          {"summary", verb.summary},
          {"formats", split_names(verb.formats)},
          {"options", std::move(options)}};
}

}  // namespace

int help_verb(const Options& options) {
  const std::string name = options.operands.empty() ? "" : options.operands.front();
  const std::string text = help_text(name);
  if (options.format != "json") {
    fmt::print("{}", text);
  } else if (!name.empty()) {
    print(json_of(*find_verb(name)));
  } else {
    Json all = Json::array();
    for (const Verb* verb : visible_verbs()) all.push_back(json_of(*verb));
    print({{"verbs", std::move(all)}});
  }
  return 0;
}

int version_verb(const Options& options) {
  const zz_host& host = host_table();
  if (options.format == "json") {
    print({{"version", host.version},
           {"build", host.build},
           {"stage_abi", fmt::format("{}.{}", host.abi_major, host.abi_minor)}});
    return 0;
  }
  fmt::print("zz-host {}\n", host.version);
  if (options.verbose)
    fmt::print("build {}\nstage ABI {}.{}\n", host.build, host.abi_major, host.abi_minor);
  return 0;
}

namespace {

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw UsageError(fmt::format("there is no completion for '{}'", shell),
                   core::suggestion(shell, std::vector<std::string>{"bash", "zsh", "fish"}));
}

}  // namespace

int completion_verb(const Options& options) {
  const std::string& shell = options.operands.front();
  const std::string script = completion_script(shell);
  if (options.format == "json")
    print({{"shell", shell}, {"script", script}});
  else
    fmt::print("{}", script);
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
