#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "core/base/nearest_name.hpp"
#include "core/input/yaml/document.hpp"
#include "host/base/exit_code.hpp"
#include "host/base/standard_output.hpp"
#include "host/boundary/host_table.hpp"
#include "host/command_line/completion.hpp"
#include "host/command_line/pipeline_session.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/report/network_report.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

void print(const Json& json) {
  fmt::print(standard_output(), "{}\n", core::json_text(json, {.indent = 2}));
}

Json json_of(const Verb& verb) {
  Json options = Json::array();
  for (const OptionInfo& option : option_infos(verb)) {
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

int run_help(const Options& options) {
  const std::string name = options.operands.empty() ? "" : options.operands.front();
  const std::string text = help_text(name);
  if (options.format != "json") {
    fmt::print(standard_output(), "{}", text);
  } else if (!name.empty()) {
    print(json_of(*find_verb(name)));
  } else {
    Json all = Json::array();
    for (const Verb* verb : visible_verbs()) all.push_back(json_of(*verb));
    print({{"verbs", std::move(all)}});
  }
  return 0;
}

int run_version(const Options& options) {
  const zz_host& host = host_table();
  if (options.format == "json") {
    print({{"version", host.version},
           {"build", host.build},
           {"stage_abi", fmt::format("{}.{}", host.abi_major, host.abi_minor)}});
    return 0;
  }
  fmt::print(standard_output(), "zz-host {}\n", host.version);
  if (options.verbose)
    fmt::print(standard_output(), "build {}\nstage ABI {}.{}\n", host.build, host.abi_major,
               host.abi_minor);
  return 0;
}

const std::vector<std::string> shells{"bash", "zsh", "fish"};

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw UsageError(fmt::format("there is no completion for '{}'", shell), core::suggestion(shell, shells));
}

/// Every setting as a line for --set: alone, and behind the name of its stage.
std::set<std::string> names_of_settings(const Options& options) {
  PluginRegistry registry(host_table());
  load_plugins(options, registry);
  registry.add_search_path(options.plugin_paths);
  std::set<std::string> names;
  for (const StageSource& source : registry.stages()) {
    for (const zz_param& setting : parameters_of(*source.stage)) {
      names.insert(fmt::format("{}=", setting.name));
      names.insert(fmt::format("{}.{}=", source.stage->name, setting.name));
      for (const std::string& alias : split_names(source.stage->aliases))
        names.insert(fmt::format("{}.{}=", alias, setting.name));
    }
  }
  return names;
}

/// The layers that a workload file names. None of other files: their layers are made when they run.
std::vector<std::string> layers_of_file(const std::string& file) {
  core::Diagnostics ignored;
  std::vector<std::string> layers;
  if (file.ends_with(".onnx")) {
    const NetworkReport report = report_network(file, {}, ignored);
    for (const auto& node : report.network.nodes)
      if (!report.costs[node.id].layers.empty()) layers.push_back(node.name);
    return layers;
  }
  for (const core::yaml::Node& layer : core::yaml::load_file(file, ignored).items)
    if (const core::yaml::Node* name = layer.find("name"); name != nullptr && name->is_scalar())
      layers.push_back(name->text);
  return layers;
}

std::vector<std::string> layers_of_pipeline(const std::string& file) {
  try {
    core::Diagnostics ignored;
    const PipelineFile pipeline = read_pipeline(file, ignored);
    for (const WrittenSetting& parameter : pipeline.parameters)
      for (const char* name : {"workload", "workload_path", "onnx_model_path"})
        if (parameter.name == name && parameter.value.is_scalar())
          return layers_of_file(relative_to_file(file, parameter.value.text, core::Files::on_disk()));
  } catch (const core::InputError&) {
    // Who presses the tab key is told when the pipeline runs.
  }
  return {};
}

int run_completion(const Options& options) {
  const std::string& shell = options.operands.front();
  const bool asks_layers = shell == "layers";
  if (asks_layers != (options.operands.size() > 1))
    throw UsageError(asks_layers ? "'completion layers' needs a pipeline"
                                 : fmt::format("'completion {}' takes no file", shell));
  if (asks_layers || shell == "settings") {
    std::vector<std::string> names;
    if (asks_layers)
      names = layers_of_pipeline(options.operands[1]);
    else
      for (const std::string& name : names_of_settings(options)) names.push_back(name);
    if (options.format == "json")
      print(names);
    else
      for (const std::string& name : names) fmt::print(standard_output(), "{}\n", name);
    return static_cast<int>(ExitCode::done);
  }
  const std::string script = completion_script(shell);
  if (options.format == "json")
    print({{"shell", shell}, {"script", script}});
  else
    fmt::print(standard_output(), "{}", script);
  return static_cast<int>(ExitCode::done);
}

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
  for (const OptionInfo& option : option_infos(verb)) {
    text += fmt::format("**\\--{}**", option.name);
    if (option.takes_value) text += fmt::format("=*{}*", option.value);
    if (option.letter != '\0')
      text += fmt::format(", **-{}**{}", option.letter,
                          option.takes_value ? fmt::format(" *{}*", option.value) : "");
    text += fmt::format("\n:   {}\n\n", plain(option.doc));
  }
  return text;
}

int run_manual(const Options& options) {
  const std::string& file = options.operands.front();
  std::ifstream in(file);
  if (!in) throw UsageError(file + " cannot be read");
  for (std::string line; std::getline(in, line);) {
    if (line != place_of_verbs) {
      fmt::print(standard_output(), "{}\n", line);
      continue;
    }
    for (const Verb* verb : visible_verbs()) fmt::print(standard_output(), "{}", section_of(*verb));
  }
  return 0;
}

Candidates names_of_verbs() {
  std::vector<std::string> names;
  for (const Verb* verb : visible_verbs()) names.emplace_back(verb->name);
  return words(std::move(names));
}

}  // namespace

const Verb completion_verb("completion", "SHELL",
                           "print the completion script of a shell: bash, zsh or fish", "text|json", 1, 2,
                           run_completion, nullptr, nullptr, [] { return words(shells); });

const Verb version_verb("version", "", "print the version; with -v also the build", "text|json", 0, 0,
                        run_version);

const Verb help_verb("help", "[VERB]", "explain the command line", "text|json", 0, 1, run_help, nullptr,
                     nullptr, names_of_verbs);

const Verb manual_verb("manual", "PAGE",
                       "print a manual page in Markdown with the verbs and options filled in", "", 1, 1,
                       run_manual, nullptr, nullptr, nullptr, true);

}  // namespace zz::host
