#include "host/command_line/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/nearest_name.hpp"
#include "core/components/component_question.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/foreign_names.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/library/comparison.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

namespace po = boost::program_options;

using Texts = std::vector<std::string>;

/// Choices of `map` and `fused`.
void add_choices_of_files(po::options_description& all) {
  auto add = all.add_options();
  add("precision", po::value<std::string>()->value_name("BITS"),
      "bits of weights, inputs and results, as 8 or 16, or file: those of the network's types; default: "
      "those of the accelerator's units where the network has floats");
  add("output", po::value<std::string>()->value_name("DIR"),
      "the folder for result files; without it, none are written");
  add("print-pipeline", "print the pipeline instead of running it");
}

/// Settings of the search for groups that are options of `fused`.
constexpr const char* settings_of_groups[] = {"groups", "gap", "exchange-memories", "homes"};

void add_choices_of_groups(po::options_description& all) {
  auto add = all.add_options();
  add("mapping", po::value<std::string>()->value_name("FILE"),
      "what is prescribed for each layer; without it nothing is");
  add("objective", po::value<std::string>()->default_value("energy")->value_name("WHAT"),
      "what is made small");
  add("groups", po::value<std::string>()->value_name("WHICH"),
      "layers that may be fused: auto, none, lists of names as [[scores, context]], or the file "
      "fused_groups.yaml of an earlier run; default: auto");
  add("gap", po::value<std::string>()->value_name("FRACTION"),
      "a proven gap that is small enough; default: 0.01");
  add("exchange-memories", po::value<std::string>()->value_name("NAMES"),
      "memories where results may stay, all in one, as [buffer]; default: all that can be it");
  add("homes", po::value<std::string>()->value_name("NAMES"), "--exchange-memories, by the name of before");
  add("explain", "show for each result that goes off chip the room that would keep it");
  add_choices_of_files(all);
}

void add_choices(po::options_description& all) {
  auto add = all.add_options();
  const auto file = [] { return po::value<std::string>()->value_name("FILE"); };
  add("workload", file(),
      "the network: an ONNX file, a YAML list of layers, or the config.json of a "
      "language model");
  add("accelerator", file(), "the accelerator, with one core or several");
  add("mapping", file(), "what is prescribed for each layer; without it nothing is, on one core");
  add("objective", po::value<std::string>()->default_value("latency")->value_name("WHAT"),
      "what is made small: energy, latency or edp, their product");
  add("quick", "as ZigZag does: three unrollings and LOMA, in place of a proof for each layer");
  add("limit", po::value<std::int64_t>()->value_name("N"),
      "with --quick: most loop factors that are ordered; default: 6. More take longer");
  add("within", po::value<double>()->value_name("FRACTION"),
      "by how much the objective may be above its least where energy, or latency, gains; default: 0.001");
  add_choices_of_files(all);
}

void add_arguments_of_components(po::options_description& all) {
  auto add = all.add_options();
  for (const core::components::Argument* argument : core::components::all_arguments()) {
    const std::string fallback =
        *argument->fallback == '\0' ? "" : fmt::format("; default: {}", argument->fallback);
    add(argument->name,
        po::value<std::string>()->value_name(*argument->unit == '\0' ? "NAME" : argument->unit),
        fmt::format("{}{}", argument->doc, fallback).c_str());
  }
}

po::options_description options_of(const Verb& verb) {
  po::options_description all("Options");
  auto add = all.add_options();
  if (verb.run == map_verb) add_choices(all);
  if (verb.run == fused_verb) add_choices_of_groups(all);
  if (verb.run == cost_verb) add_arguments_of_components(all);
  if (verb.run == compare_verb) {
    add("with", po::value<std::string>()->value_name("NAME"),
        "zigzag-3.9, zigzag-3.8.5 or stream-0.0.8; default: zigzag-3.9, on several cores stream-0.0.8");
    add("by-rule", "show which rules cause the differences; the pipeline runs more often");
    add("picture", po::value<std::string>()->value_name("FILE"),
        "of two runs: write a page for the browser with their layers side by side");
  }
  if (verb.run == front_verb)
    add("page", po::value<std::string>()->value_name("FILE"),
        "write a page for the browser with all designs, in place of the table");
  if (verb.run == why_verb) {
    add("energy", "show also where the energy goes; with --format=csv instead of the latency");
    add("search", "search other unrollings as well, a second of processor time for each layer at most");
    add("factor", po::value<std::int64_t>()->default_value(2)->value_name("N"),
        "how many times as wide or as large a part is made");
  }
  if (verb.runs) {
    add("set", po::value<Texts>()->composing()->value_name("KEY=VALUE"),
        "set a parameter, or STAGE.SETTING, or NAME.KEY within a map; repeatable");
    add("jobs,j", po::value<unsigned>()->default_value(1)->value_name("N"),
        "threads to use; 0: all there are");
    add("seed", po::value<std::string>()->value_name("N"), "the same as --set seed=N");
    if (verb.run == run_verb) {
      add("point", po::value<std::string>()->value_name("N"),
          "of a design space: run the chain for this point alone; points count from 0");
      add("shard", po::value<std::string>()->value_name("I/N"),
          "of a design space: run one of N shares of the points");
    }
    add("progress", po::value<std::string>()->default_value("auto")->value_name("WHEN"),
        "auto, always or never");
    if (verb.run == run_verb || verb.run == map_verb || verb.run == fused_verb)
      add("accuracy",
          "show how far zz is from what was published of the machines that are most like this one");
    if (verb.run != compare_verb && verb.run != why_verb)
      add("timings", "show on stderr, and in the JSON, where the time went");
    add("quiet,q", "only warnings and errors on stderr");
  }
  if (verb.run == check_verb || verb.run == explain_verb)
    add("allow-code",
        "load the plugins and Python files that the pipeline names, and look at their stages");
  if (verb.run == serve_verb) {
    add("folder", po::value<std::string>()->value_name("DIR"),
        "work in this folder, and write files only below it; default: the working folder");
    add("allow-code", po::value<Texts>()->composing()->value_name("DIR"),
        "load plugins and Python files of this folder when pipelines name them; repeatable");
    add("jobs,j", po::value<unsigned>()->default_value(1)->value_name("N"),
        "threads that runs may use; 0: all there are");
    add("quiet,q", "only warnings and errors as messages");
  }
  if (verb.run == check_plugin_verb) {
    add("set", po::value<Texts>()->composing()->value_name("KEY=VALUE"),
        "run stages with this setting, context key, or STAGE.SETTING; repeatable");
    add("input", po::value<Texts>()->composing()->value_name("FILE"),
        "a file that a stage reads, or SETTING=FILE: run stages over damaged copies too; repeatable");
  }
  if (verb.run == network_verb) {
    add("set", po::value<Texts>()->composing()->value_name("KEY=VALUE"),
        "set dimensions.NAME, a length that the file leaves open, or values.NAME, an input; repeatable");
  }
  if (verb.run == network_verb || verb.run == map_verb || verb.run == fused_verb) {
    add("dimensions", po::value<Texts>()->composing()->value_name("NAME=LENGTH,..."),
        "lengths that an ONNX file leaves open, several at once; repeatable");
    add("values", po::value<Texts>()->composing()->value_name("INPUT=VALUE,..."),
        "what inputs are, for branches that depend on them; repeatable");
  }
  if (verb.run == new_plugin_verb) {
    add("folder", po::value<std::string>()->value_name("DIR"), "where to; default: ./NAME");
    add("language", po::value<std::string>()->default_value("c++")->value_name("NAME"),
        "c++ (or cpp), c or rust");
  }
  if (*verb.formats != '\0') {
    const auto formats = split_names(verb.formats);
    add("format", po::value<std::string>()->default_value(formats.front())->value_name("FORM"),
        verb.formats);
  }
  add("plugin", po::value<Texts>()->composing()->value_name("FILE"), "load this plugin; repeatable");
  add("plugin-path", po::value<Texts>()->composing()->value_name("DIR"),
      "look for plugins here first; repeatable");
  add("color", po::value<std::string>()->default_value("auto")->value_name("WHEN"),
      "auto, always or never");
  add("verbose,v", "say more");
  add("help,h", "explain the verb");
  return all;
}

template <class Mode>
Mode mode_of(const po::variables_map& given, const char* option, Mode automatic, Mode always, Mode never) {
  if (given.count(option) == 0) return automatic;
  const std::string when = given[option].as<std::string>();
  if (when == "auto") return automatic;
  if (when == "always") return always;
  if (when == "never") return never;
  throw UsageError(fmt::format("--{} must be auto, always or never, but found '{}'", option, when));
}

Texts texts(const po::variables_map& given, const char* option) {
  return given.count(option) != 0 ? given[option].as<Texts>() : Texts();
}

PipelineChoices choices_of(const po::variables_map& given) {
  PipelineChoices choices;
  const auto take = [&](const char* option, std::string& choice) {
    if (given.count(option) != 0) choice = given[option].as<std::string>();
  };
  take("workload", choices.workload);
  take("accelerator", choices.accelerator);
  take("mapping", choices.mapping);
  take("objective", choices.objective);
  take("precision", choices.precision);
  take("output", choices.output);
  choices.quick = given.count("quick") != 0;
  if (given.count("limit") != 0) choices.limit = given["limit"].as<std::int64_t>();
  if (given.count("within") != 0) choices.within = given["within"].as<double>();
  return choices;
}

void check_format(const Verb& verb, const std::string& format) {
  for (const auto& known : split_names(verb.formats)) {
    if (known == format) return;
  }
  throw UsageError(
      fmt::format("--format of '{}' must be one of {}, but found '{}'", verb.name, verb.formats, format));
}

std::string original_of(const po::variables_map& given) {
  if (given.count("with") == 0) return "";
  const std::string wanted = given["with"].as<std::string>();
  const std::vector<std::string>& known = comparable_originals();
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return wanted;
  throw UsageError(fmt::format("--with must be one of {}, but found '{}'", fmt::join(known, ", "), wanted),
                   core::suggestion(wanted, known));
}

/// Without a verb the first argument is a pipeline. A word that looks like a misspelt verb is refused.
const Verb& choose_verb(Texts& arguments) {
  if (arguments.empty()) return *find_verb("help");
  const std::string first = arguments.front();
  const auto drop_first = [&] { arguments.erase(arguments.begin()); };
  if (first == "--help" || first == "-h") {
    drop_first();
    return *find_verb("help");
  }
  if (first == "--version") {
    drop_first();
    return *find_verb("version");
  }
  if (const Verb* verb = find_verb(first); verb != nullptr) {
    drop_first();
    return *verb;
  }
  const bool like_a_file = first.find_first_of("./") != std::string::npos || std::filesystem::exists(first);
  if (first.front() == '-' || like_a_file) return *find_verb("run");
  Texts names;
  for (const Verb& verb : verbs()) {
    if (!verb.hidden) names.emplace_back(verb.name);
  }
  const std::string near = core::nearest_name(first, names);
  throw UsageError(fmt::format("'{}' is neither a verb nor a pipeline file", first),
                   near.empty() ? "see zz-host help" : "did you mean '" + near + "'?");
}

/// Refuses an argument of ZigZag's, or of an earlier zz, that is given as an option: "--lpf_limit",
/// "--lpf-limit=4", "--optimal".
void refuse_foreign_options(const Verb& verb, const Texts& arguments) {
  if (!verb.runs) return;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string option = argument.substr(0, argument.find('='));
    std::string name = option.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    if (const std::string advice = advice_on_foreign_name(name); !advice.empty())
      throw UsageError(fmt::format("'{}' has no option '{}'", verb.name, option), advice);
  }
}

po::variables_map parse(const Verb& verb, const Texts& arguments) {
  refuse_foreign_options(verb, arguments);
  po::options_description all = options_of(verb);
  all.add_options()("operand", po::value<Texts>());
  po::positional_options_description positions;
  positions.add("operand", -1);
  po::variables_map given;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positions).run(), given);
  } catch (const po::unknown_option& error) {
    Texts known;
    for (const auto& option : all.options()) known.push_back("--" + option->long_name());
    const std::string near = core::nearest_name(error.get_option_name(), known);
    throw UsageError(
        fmt::format("'{}' has no option '{}'", verb.name, error.get_option_name()),
        near.empty() ? fmt::format("see zz-host help {}", verb.name) : "did you mean '" + near + "'?");
  } catch (const po::error& error) {
    throw UsageError(fmt::format("{}: {}", verb.name, error.what()));
  }
  return given;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Texts rest = arguments;
  const Verb& verb = choose_verb(rest);
  const po::variables_map given = parse(verb, rest);
  Options options;
  options.verb = verb.name;
  options.arguments = rest;
  options.operands = texts(given, "operand");
  if (given.count("help") != 0) {
    options.operands = options.verb == "help" ? Texts{} : Texts{options.verb};
    options.verb = "help";
    if (given.count("format") != 0) options.format = given["format"].as<std::string>();
    return options;
  }
  const int count = static_cast<int>(options.operands.size());
  if (count < verb.least || count > verb.most) {
    throw UsageError(fmt::format("'{}' was given {} operands", verb.name, count),
                     fmt::format("usage: zz-host {} {}", verb.name, verb.operands));
  }
  options.set = texts(given, "set");
  options.inputs = texts(given, "input");
  options.dimensions = texts(given, "dimensions");
  options.values = texts(given, "values");
  options.plugins = texts(given, "plugin");
  options.plugin_paths = texts(given, "plugin-path");
  std::error_code missing;
  for (const std::string& folder : options.plugin_paths)
    if (!std::filesystem::is_directory(folder, missing))
      throw UsageError(fmt::format("--plugin-path names '{}', which is no folder", folder));
  if (given.count("seed") != 0) options.seed = given["seed"].as<std::string>();
  if (given.count("point") != 0) options.point = given["point"].as<std::string>();
  if (given.count("shard") != 0) options.shard = given["shard"].as<std::string>();
  if (given.count("jobs") != 0) options.threads = given["jobs"].as<unsigned>();
  if (options.threads > most_threads)
    throw UsageError(fmt::format("--jobs must lie in [0, {}]", most_threads));
  options.progress =
      mode_of(given, "progress", ProgressMode::automatic, ProgressMode::always, ProgressMode::never);
  options.colour = mode_of(given, "color", ColourMode::automatic, ColourMode::always, ColourMode::never);
  if (given.count("folder") != 0) options.folder = given["folder"].as<std::string>();
  if (verb.run == serve_verb)
    options.code_folders = texts(given, "allow-code");
  else
    options.allow_code = given.count("allow-code") != 0;
  for (const std::string& folder : options.code_folders)
    if (!std::filesystem::is_directory(folder, missing))
      throw UsageError(fmt::format("--allow-code names '{}', which is no folder", folder));
  if (given.count("language") != 0) options.language = given["language"].as<std::string>();
  if (verb.run == map_verb || verb.run == fused_verb) {
    options.choices = choices_of(given);
    options.print_pipeline = given.count("print-pipeline") != 0;
  }
  if (verb.run == fused_verb) {
    options.choices.fused = true;
    options.choices.workload = options.operands[0];
    options.choices.accelerator = options.operands[1];
    for (const char* const option : settings_of_groups) {
      if (given.count(option) == 0) continue;
      std::string setting = option;
      std::replace(setting.begin(), setting.end(), '-', '_');
      options.fused[setting] = given[option].as<std::string>();
    }
    if (given.count("explain") != 0) options.fused["explain"] = "true";
  }
  if (verb.run == compare_verb) {
    options.with = original_of(given);
    options.by_rule = given.count("by-rule") != 0;
    if (given.count("picture") != 0) options.picture = given["picture"].as<std::string>();
    const bool two_runs = options.operands.size() == 2;
    if (two_runs && (options.by_rule || given.count("with") != 0))
      throw UsageError("--with and --by-rule are of one pipeline, but two runs are to be compared");
    if (!two_runs && !options.picture.empty())
      throw UsageError("--picture is of two runs: write compare FIRST SECOND");
  }
  if (verb.run == cost_verb) {
    for (const core::components::Argument* argument : core::components::all_arguments())
      if (given.count(argument->name) != 0)
        options.component[argument->name] = given[argument->name].as<std::string>();
  }
  if (verb.run == why_verb) {
    options.energy = given.count("energy") != 0;
    options.search = given.count("search") != 0;
    options.factor = given["factor"].as<std::int64_t>();
    if (options.factor < 2 || options.factor > 1024) throw UsageError("--factor must lie in [2, 1024]");
  }
  if (given.count("page") != 0) options.page = given["page"].as<std::string>();
  if (given.count("format") != 0) {
    options.format = given["format"].as<std::string>();
    check_format(verb, options.format);
  }
  options.accuracy = given.count("accuracy") != 0;
  options.timings = given.count("timings") != 0;
  options.verbose = given.count("verbose") != 0;
  options.quiet = given.count("quiet") != 0;
  return options;
}

std::vector<OptionInfo> option_list(const Verb& verb) {
  std::vector<OptionInfo> list;
  const po::options_description all = options_of(verb);
  for (const auto& option : all.options()) {
    OptionInfo info;
    info.name = option->long_name();
    const std::string shown = option->canonical_display_name(po::command_line_style::allow_dash_for_short);
    if (shown.size() == 2 && shown.front() == '-') info.letter = shown.back();
    info.doc = option->description();
    info.takes_value = option->semantic()->max_tokens() > 0;
    info.repeats = option->semantic()->is_composing();
    // "FILE", "N (=1)"
    if (info.takes_value) info.value = option->semantic()->name();
    info.value = info.value.substr(0, info.value.find(' '));
    list.push_back(std::move(info));
  }
  return list;
}

std::string help_text(const std::string& name) {
  if (name.empty()) {
    std::string text =
        "zz-host finds the best mappings of networks on accelerators.\n\nusage:\n  zz-host PIPELINE\n";
    for (const Verb& verb : verbs()) {
      if (!verb.hidden)
        text += fmt::format("  zz-host {:<25} {}\n", fmt::format("{} {}", verb.name, verb.operands),
                            verb.summary);
    }
    return text +
           "\nzz-host help VERB explains the options of a verb.\n"
           "\nexit status: 0 done; 1 a stage failed; 2 wrong usage, pipeline or input; 3 a plugin cannot "
           "be loaded;\n"
           "             4 no legal result; 130 interrupted\n";
  }
  const Verb* verb = find_verb(name);
  if (verb == nullptr) throw UsageError("there is no verb '" + name + "'", "see zz-host help");
  return fmt::format("usage: zz-host {} {} [OPTION]...\n{}\n\n", verb->name, verb->operands,
                     verb->summary) +
         fmt::format("{}", [&] {
           std::ostringstream out;
           out << options_of(*verb);
           return out.str();
         }());
}

}  // namespace zz::host
