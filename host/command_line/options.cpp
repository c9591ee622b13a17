#include "host/command_line/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

#include "core/base/nearest_name.hpp"
#include "host/boundary/parallel.hpp"
#include "host/chain/foreign_names.hpp"
#include "host/command_line/verb_table.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

namespace po = boost::program_options;

using Texts = std::vector<std::string>;

/// All options of the verb, which put their values into `given`.
OptionList options_of(const Verb& verb, Options& given) {
  OptionList list;
  if (verb.declare != nullptr) verb.declare(list, given);
  if (const auto formats = split_names(verb.formats); !formats.empty()) {
    given.format = formats.front();
    list.add("format", "FORM", given.format, verb.formats, words(formats));
  }
  list.add("plugin", "FILE", given.plugins, "load this plugin; repeatable", files({"so"}));
  list.add("plugin-path", "DIR", given.plugin_paths, "look for plugins here first; repeatable", folders());
  list.add("color", "WHEN", given.colour, "auto, always or never", words({"auto", "always", "never"}));
  list.add("verbose,v", given.verbose, "say more");
  return list;
}

/// "--help" is no part of what is given: it asks about another verb.
po::options_description with_help(const OptionList& list) {
  po::options_description all = list.all();
  all.add_options()("help,h", "explain the verb");
  return all;
}

/// Without a verb the first argument is a pipeline. A word that looks like a misspelt verb is refused.
const Verb& choose_verb(Texts& arguments) {
  if (arguments.empty()) return help_verb;
  const std::string first = arguments.front();
  const auto drop_first = [&] { arguments.erase(arguments.begin()); };
  if (first == "--help" || first == "-h") {
    drop_first();
    return help_verb;
  }
  if (first == "--version") {
    drop_first();
    return version_verb;
  }
  if (const Verb* verb = find_verb(first); verb != nullptr) {
    drop_first();
    return *verb;
  }
  const bool like_a_file = first.find_first_of("./") != std::string::npos || std::filesystem::exists(first);
  if (first.front() == '-' || like_a_file) return run_verb;
  Texts names;
  for (const Verb* verb : visible_verbs()) names.emplace_back(verb->name);
  const std::string near = core::nearest_name(first, names);
  throw UsageError(fmt::format("'{}' is neither a verb nor a pipeline file", first),
                   near.empty() ? "see zz-host help" : "did you mean '" + near + "'?");
}

/// Refuses an argument of ZigZag's, or of an earlier zz, that is given as an option: "--lpf_limit",
/// "--lpf-limit=4", "--optimal".
void refuse_foreign_options(const Verb& verb, const Texts& arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string option = argument.substr(0, argument.find('='));
    std::string name = option.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    if (const std::string advice = advice_on_foreign_name(name); !advice.empty())
      throw UsageError(fmt::format("'{}' has no option '{}'", verb.name, option), advice);
  }
}

po::variables_map parse(const Verb& verb, const OptionList& list, const Texts& arguments) {
  if (list.of_pipelines) refuse_foreign_options(verb, arguments);
  po::options_description all = with_help(list);
  all.add_options()("operand", po::value<Texts>());
  // For developers, and in no help: leaves a refinement of proofs out.
  if (list.of_pipelines) all.add_options()("without", po::value<Texts>()->composing());
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
  } catch (const po::invalid_option_value& error) {
    std::string name = error.get_option_name();
    if (name.starts_with("--")) name = name.substr(2);
    const auto semantic = all.find(name, false).semantic();
    const bool whole = dynamic_cast<const po::typed_value<double>*>(semantic.get()) == nullptr;
    throw UsageError(fmt::format("{}: {}", verb.name, error.what()),
                     whole ? "a whole number is expected that is not too large" : "a number is expected");
  } catch (const po::error& error) {
    throw UsageError(fmt::format("{}: {}", verb.name, error.what()));
  }
  return given;
}

void check_common(const Verb& verb, const Options& options) {
  const auto formats = split_names(verb.formats);
  if (!formats.empty() && std::find(formats.begin(), formats.end(), options.format) == formats.end())
    throw UsageError(fmt::format("--format of '{}' must be one of {}, but found '{}'", verb.name,
                                 verb.formats, options.format));
  check_folders("plugin-path", options.plugin_paths);
  if (options.threads > most_threads)
    throw UsageError(fmt::format("--jobs must lie in [0, {}]", most_threads));
  if (options.max_rows < 1) throw UsageError("--max-rows must be at least 1");
}

}  // namespace

void check_folders(const std::string& option, const Texts& paths) {
  std::error_code missing;
  for (const std::string& path : paths)
    if (!std::filesystem::is_directory(path, missing))
      throw UsageError(fmt::format("--{} names '{}', which is no folder", option, path));
}

Options parse_options(const std::vector<std::string>& arguments) {
  Texts rest = arguments;
  const Verb& verb = choose_verb(rest);
  Options options;
  const OptionList list = options_of(verb, options);
  po::variables_map given = parse(verb, list, rest);
  options.verb = verb.name;
  options.arguments = rest;
  if (given.count("operand") != 0) options.operands = given["operand"].as<Texts>();
  if (given.count("without") != 0) options.without = given["without"].as<Texts>();
  if (given.count("help") != 0) {
    Options help;
    help.operands = options.verb == "help" ? Texts{} : Texts{options.verb};
    help.verb = "help";
    if (given.count("format") != 0) help.format = given["format"].as<std::string>();
    return help;
  }
  const int count = static_cast<int>(options.operands.size());
  if (count < verb.least || count > verb.most)
    throw UsageError(fmt::format("'{}' was given {} operands", verb.name, count),
                     fmt::format("usage: zz-host {} {}", verb.name, verb.operands));
  po::notify(given);
  check_common(verb, options);
  if (verb.check != nullptr) verb.check(options);
  return options;
}

std::vector<OptionInfo> option_infos(const Verb& verb) {
  std::vector<OptionInfo> infos;
  Options unused;
  const OptionList list = options_of(verb, unused);
  const po::options_description all = with_help(list);
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
    if (info.name != "help") info.offered = list.offered(infos.size());
    infos.push_back(std::move(info));
  }
  return infos;
}

std::string help_text(const std::string& name) {
  if (name.empty()) {
    std::string text =
        "zz-host finds the best mappings of networks on accelerators.\n\nusage:\n  zz-host PIPELINE\n";
    for (const Verb* verb : visible_verbs())
      text += fmt::format("  zz-host {:<25} {}\n", fmt::format("{} {}", verb->name, verb->operands),
                          verb->summary);
    return text +
           "\nzz-host help VERB explains the options of a verb.\n"
           "\nexit status: 0 done; 1 a stage failed; 2 wrong usage, pipeline or input; 3 a plugin cannot "
           "be loaded;\n"
           "             4 no legal result; 130 interrupted\n";
  }
  const Verb* verb = find_verb(name);
  if (verb == nullptr) throw UsageError("there is no verb '" + name + "'", "see zz-host help");
  Options unused;
  std::ostringstream out;
  out << with_help(options_of(*verb, unused));
  return fmt::format("usage: zz-host {} {} [OPTION]...\n{}\n\n{}", verb->name, verb->operands,
                     verb->summary, out.str());
}

}  // namespace zz::host
