#include "tools/check_plugin/plugin_check.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/base/json_text.hpp"
#include "host/boundary/host_table.hpp"
#include "host/plugins/stage_file.hpp"
#include "host/report/problems.hpp"
#include "host/values/stage_table.hpp"

#include "tools/check_plugin/child.hpp"
#include "tools/check_plugin/library_checks.hpp"
#include "tools/check_plugin/stage_checks.hpp"

namespace zz::host {
namespace {

constexpr StageCheck groups[] = {
    {"lifetime", check_lifetime}, {"pulls", check_pulls},     {"faults", check_faults},
    {"claims", check_claims},     {"scores", check_scores},   {"threads", check_threads},
    {"inputs", check_inputs},     {"demands", check_demands},
};

/// The names of the plugin's stages, as a child process reads them.
struct Overview {
  std::string plugin;
  std::vector<std::uint32_t> stages;  ///< to be checked: their numbers in the table of the plugin
  std::vector<std::pair<std::string, std::string>> options;  ///< of a stage, that it may need to run

  /// A stage that stands for others in files is none itself: those files can be checked.
  static bool is_checked(const zz_stage_desc& stage) { return (stage.flags & ZZ_STAGE_IN_FILE) == 0; }
};

/// The option that gives a setting a value, where the made-up one may be none for the stage; "": it has a
/// default that the author chose.
std::string option_for(const zz_stage_desc& stage, const zz_param& parameter) {
  const bool is_file = (parameter.flags & ZZ_INPUT_PATH) != 0;
  if ((parameter.flags & ZZ_REQUIRED) == 0 && !is_file) return "";
  std::string what = text_or_empty(parameter.doc);
  if (const std::string allowed = text_or_empty(parameter.allowed); !allowed.empty())
    what += (what.empty() ? "" : ", ") + allowed;
  if (const std::string unit = text_or_empty(parameter.unit); !unit.empty()) what += " [" + unit + "]";
  return fmt::format("--{} {}.{}={}{}", is_file ? "input" : "set", stage.name, parameter.name,
                     is_file ? "FILE" : "VALUE", what.empty() ? "" : "  " + what);
}

Overview overview_of(const std::string& file) {
  constexpr const char* plugin_line = "plugin";
  constexpr const char* stage_line = "stage";
  constexpr const char* option_line = "option";
  const auto seen = observe_in_child(
      [&](Findings& findings) {
        std::string reason;
        const Plugin* plugin = load_plugin(file, host_table(), reason);
        if (plugin == nullptr) return;
        findings.passed(plugin_line, fmt::format("{} {}", plugin->table->id, plugin->table->version));
        for (std::uint32_t i = 0; i < plugin->table->n_stages; ++i) {
          const zz_stage_desc& stage = *plugin->table->stages[i];
          if (!Overview::is_checked(stage)) continue;
          findings.passed(stage_line, std::to_string(i));
          findings.about(stage.name);
          for (const zz_param& parameter : parameters_of(stage))
            if (const std::string option = option_for(stage, parameter); !option.empty())
              findings.passed(option_line, option);
        }
      },
      "L3", "L3");
  Overview overview;
  for (const Observation& one : seen) {
    if (one.rule == plugin_line) overview.plugin = one.seen;
    if (one.rule == stage_line) overview.stages.push_back(static_cast<std::uint32_t>(std::stoul(one.seen)));
    if (one.rule == option_line) overview.options.emplace_back(one.where, one.seen);
  }
  return overview;
}

/// Its table is the host's own work; what may be wrong is the file, or what the machine lacks.
void check_loading_of_stage_file(const std::string& file, Findings& findings) {
  findings.doing("loading the file");
  std::string reason;
  if (load_plugin(file, host_table(), reason) == nullptr)
    findings.failed("L9", reason);
  else
    findings.passed("L9", "loads on this machine");
}

/// In a child process: loads the plugin and runs one group over one of its stages.
void run_group(const std::string& file, std::uint32_t stage, const StageCheck& group,
               const GivenValues& given, Findings& findings) {
  std::string reason;
  const Plugin* plugin = load_plugin(file, host_table(), reason);
  if (plugin == nullptr) return;
  const zz_stage_desc& description = *plugin->table->stages[stage];
  findings.about(description.name);
  StageSetup setup;
  try {
    setup = set_up(description, given);
  } catch (const core::InputError& error) {
    setup.lacking = error.what();
  }
  if (!setup.lacking.empty()) {
    findings.not_run(setup.lacking);
    return;
  }
  StageCalls calls(*plugin, description, setup, findings);
  try {
    if (calls.initialise()) group.run(calls, findings);
  } catch (const StoppedForSlowness&) {
    findings.not_run("it took so long that it was asked to stop, and it did: --set gives smaller settings");
  }
}

/// After one of these the stage is not run any further: fix it first.
bool ends_the_stage(const Observation& one) {
  const auto is = [&](const char* rule) { return one.rule == rule; };
  if (is(Findings::rule_of_all)) return true;  // it cannot be run at all, or takes too long
  return one.outcome == Outcome::failed && (is("M5") || is("P5") || is("F1") || is("M2"));
}

void check_stages(const std::string& file, const Overview& overview, const GivenValues& given,
                  std::vector<Observation>& all) {
  for (const std::uint32_t stage : overview.stages) {
    for (const StageCheck& group : stage_checks()) {
      const auto seen = observe_in_child(
          [&](Findings& findings) { run_group(file, stage, group, given, findings); }, "M5", "P5");
      all.insert(all.end(), seen.begin(), seen.end());
      if (std::any_of(seen.begin(), seen.end(), ends_the_stage)) break;
    }
  }
}

/// The rule that passes as soon as a stage has been opened.
constexpr std::string_view rule_of_opening = "S2";

/// A stage that breaks a rule once often breaks it in every run: so much is told of it.
constexpr std::size_t most_told = 3;

/// The failures, else what passed, else why there is nothing to say; nothing twice.
RuleResult result_of(const Rule& rule, const std::vector<Observation>& all, const char* unchecked) {
  RuleResult result;
  result.rule = &rule;
  std::set<std::pair<std::string, std::string>> reasons;
  for (const Outcome outcome : {Outcome::failed, Outcome::passed, Outcome::unchecked}) {
    std::map<std::string, std::set<std::string>> told;
    for (const Observation& one : all) {
      if (one.rule != rule.number || one.outcome != outcome) continue;
      auto& here = told[one.where];
      if (here.insert(one.seen).second && here.size() <= most_told) result.seen.push_back(one);
    }
    for (const auto& [where, seen] : told) {
      if (seen.size() > most_told)
        result.seen.push_back(
            {rule.number, outcome, where, fmt::format("and {} more", seen.size() - most_told)});
    }
    result.outcome = outcome;
    if (!result.seen.empty()) return result;
  }
  for (const Observation& one : all) {
    const bool why = one.rule == Findings::rule_of_all && rule.needs_run();
    if (why && reasons.insert({one.where, one.seen}).second) result.seen.push_back(one);
  }
  if (!result.seen.empty()) return result;
  result.seen.push_back({rule.number, Outcome::unchecked, "", unchecked});
  return result;
}

}  // namespace

std::span<const StageCheck> stage_checks() { return groups; }

bool PluginResult::passed() const {
  return !nothing_ran && std::none_of(rules.begin(), rules.end(), [](const RuleResult& rule) {
    return rule.outcome == Outcome::failed;
  });
}

PluginResult check_plugin(const std::string& file, const GivenValues& given) {
  PluginResult result;
  result.file = file;
  std::vector<Observation> all;
  bool has_stages = false;
  std::vector<std::pair<std::string, std::string>> options;
  // Children work in a folder of their own.
  const std::string absolute = std::filesystem::absolute(file).string();
  const bool library = !is_stage_file(absolute);
  if (!library || check_library_file(absolute, all)) {
    const auto loading = observe_in_child(
        [&](Findings& findings) {
          library ? check_loading(absolute, findings) : check_loading_of_stage_file(absolute, findings);
        },
        "L3", "L3");
    all.insert(all.end(), loading.begin(), loading.end());
    const Overview overview = overview_of(absolute);
    result.plugin = overview.plugin;
    if (!overview.plugin.empty()) {
      const auto initialised = observe_in_child(
          [&](Findings& findings) { check_initialisation(absolute, findings); }, "L5", "L5");
      all.insert(all.end(), initialised.begin(), initialised.end());
      check_stages(absolute, overview, given, all);
      has_stages = !overview.stages.empty();
      options = overview.options;
    }
  }
  const auto has_run = [&](const std::string& stage) {
    return std::any_of(all.begin(), all.end(), [&](const Observation& one) {
      return one.outcome == Outcome::passed && std::string_view(one.rule) == rule_of_opening &&
             (stage.empty() || one.where == stage);
    });
  };
  const bool ran = has_run("");
  for (const auto& [stage, option] : options)
    if (!has_run(stage)) result.options.push_back(option);
  result.nothing_ran = !result.plugin.empty() && has_stages && !ran;
  const char* const not_loaded = library ? Rule::not_loaded : "it is a file of Python, and no library";
  for (const Rule& rule : plugin_rules()) {
    const bool is_unknown = result.plugin.empty() || std::string_view(rule.unchecked) == Rule::not_loaded;
    result.rules.push_back(result_of(rule, all, is_unknown ? not_loaded : rule.unchecked));
  }
  return result;
}

namespace {

const char* word(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "passed";
    case Outcome::failed:
      return "failed";
    default:
      return "not checkable here";
  }
}

std::string line_of(const Observation& one) {
  return one.where.empty() ? one.seen : one.where + ": " + one.seen;
}

long count(const PluginResult& result, Outcome outcome) {
  return std::count_if(result.rules.begin(), result.rules.end(),
                       [&](const RuleResult& rule) { return rule.outcome == outcome; });
}

/// Observations without saying them once for each stage.
std::vector<std::string> lines_of(const RuleResult& rule, bool verbose) {
  std::vector<std::string> lines;
  for (const Observation& one : rule.seen) {
    const bool short_form = rule.outcome == Outcome::passed && !verbose;
    std::string line = short_form ? one.seen : line_of(one);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::string to_text(const PluginResult& result, bool verbose) {
  std::string text = result.file;
  if (!result.plugin.empty()) text += fmt::format(" ({})", result.plugin);
  text += "\n";
  for (const Outcome outcome : {Outcome::passed, Outcome::unchecked, Outcome::failed}) {
    for (const RuleResult& rule : result.rules) {
      if (rule.outcome != outcome) continue;
      // What is wrong with the file is all that there is to say.
      if (outcome == Outcome::unchecked && result.plugin.empty()) continue;
      auto lines = lines_of(rule, verbose);
      text += fmt::format("  {:<18}  {:<2}  {}\n", word(outcome), rule.rule->number,
                          outcome == Outcome::failed ? rule.rule->statement : lines.front());
      const std::size_t first = outcome == Outcome::failed ? 0 : 1;
      for (std::size_t i = first; i < lines.size(); ++i) text += fmt::format("{:26}{}\n", "", lines[i]);
      if (outcome == Outcome::failed && rule.rule->remedy != nullptr)
        text += fmt::format("{:26}how to fix it: {}\n", "", rule.rule->remedy);
    }
  }
  if (result.nothing_ran)
    text += fmt::format(
        "  {:<18}  --  no stage could be run, so next to nothing was checked: --set gives settings and "
        "context keys other values\n",
        word(Outcome::failed));
  for (std::size_t i = 0; i < result.options.size(); ++i)
    text += fmt::format("  {:<18}  --  {}\n", i == 0 ? "to check more" : "", result.options[i]);
  return text + fmt::format("  {} rules passed, {} failed, {} not checkable here\n",
                            count(result, Outcome::passed), count(result, Outcome::failed),
                            count(result, Outcome::unchecked));
}

namespace {

/// Each broken rule as a problem, as other verbs have them.
void add_problems(const PluginResult& result, nlohmann::ordered_json& errors) {
  const auto add = [&](const std::string& message, const std::string& stage, const std::string& hint) {
    const core::Diagnostic problem{core::Severity::error, {result.file, 0, 0}, message, hint};
    errors.push_back(problem_json(problem, stage, ExitCode::plugin));
  };
  for (const RuleResult& rule : result.rules) {
    if (rule.outcome != Outcome::failed) continue;
    for (const Observation& one : rule.seen)
      add(fmt::format("rule {}: {} {}", rule.rule->number, rule.rule->statement, one.seen), one.where,
          rule.rule->remedy != nullptr ? rule.rule->remedy : "");
  }
  if (result.nothing_ran)
    add("no stage could be run, so next to nothing was checked", "",
        "--set gives settings and context keys other values");
}

}  // namespace

std::string to_json(const std::vector<PluginResult>& results, ExitCode code) {
  using Json = nlohmann::ordered_json;
  Json files = Json::array(), errors = errors_json();
  for (const PluginResult& result : results) {
    add_problems(result, errors);
    Json rules = Json::array();
    for (const RuleResult& rule : result.rules) {
      Json seen = Json::array();
      for (const Observation& one : rule.seen)
        seen.push_back(
            {{"stage", one.where.empty() ? Json(nullptr) : Json(one.where)}, {"seen", one.seen}});
      rules.push_back(
          {{"rule", rule.rule->number},
           {"statement", rule.rule->statement},
           {"outcome", word(rule.outcome)},
           {"checked", rule.rule->remedy != nullptr},
           {"seen", std::move(seen)},
           {"how_to_fix", rule.rule->remedy != nullptr ? Json(rule.rule->remedy) : Json(nullptr)}});
    }
    files.push_back({{"file", result.file},
                     {"plugin", result.plugin.empty() ? Json(nullptr) : Json(result.plugin)},
                     {"passed", result.passed()},
                     {"nothing_ran", result.nothing_ran},
                     {"to_check_more", result.options},
                     {"rules", std::move(rules)}});
  }
  const Json all{
      {"files", std::move(files)}, {"errors", std::move(errors)}, {"exit_status", static_cast<int>(code)}};
  return core::json_text(all, {.indent = 2}) + "\n";
}

}  // namespace zz::host
