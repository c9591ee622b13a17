#include "host/plugin_check/plugin_check.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/diagnostics/diagnostics.hpp"
#include "host/plugin_check/child.hpp"
#include "host/plugin_check/library_checks.hpp"
#include "host/plugin_check/stage_checks.hpp"

namespace zz::host {
namespace {

constexpr StageCheck groups[] = {
    {"lifetime", check_lifetime}, {"pulls", check_pulls},   {"faults", check_faults},
    {"claims", check_claims},     {"scores", check_scores}, {"threads", check_threads},
};

/// The names of the plugin's stages, as a child process reads them.
struct Overview {
  std::string plugin;
  std::vector<std::string> stages;
};

Overview overview_of(const std::string& file) {
  constexpr const char* plugin_line = "plugin";
  constexpr const char* stage_line = "stage";
  const auto seen = observe_in_child(
      [&](Notes& notes) {
        std::string reason;
        const Plugin* plugin = load_plugin(file, reason);
        if (plugin == nullptr) return;
        notes.passed(plugin_line, fmt::format("{} {}", plugin->table->id, plugin->table->version));
        for (std::uint32_t i = 0; i < plugin->table->n_stages; ++i)
          notes.passed(stage_line, plugin->table->stages[i]->name);
      },
      "L3", "L3");
  Overview overview;
  for (const Observation& one : seen) {
    if (one.rule == plugin_line) overview.plugin = one.seen;
    if (one.rule == stage_line) overview.stages.push_back(one.seen);
  }
  return overview;
}

/// In a child process: loads the plugin and runs one group over one of its stages.
void run_group(const std::string& file, std::uint32_t stage, const StageCheck& group,
               const Assignments& assigned, Notes& notes) {
  std::string reason;
  const Plugin* plugin = load_plugin(file, reason);
  if (plugin == nullptr) return;
  const zz_stage_desc& description = *plugin->table->stages[stage];
  notes.about(description.name);
  StageSetup setup;
  try {
    setup = set_up(description, assigned);
  } catch (const core::InputError& error) {
    setup.lacking = error.what();
  }
  if (!setup.lacking.empty()) {
    notes.not_run(setup.lacking);
    return;
  }
  StageCalls calls(*plugin, description, setup, notes);
  try {
    if (calls.initialise()) group.run(calls, notes);
  } catch (const StoppedForSlowness&) {
    notes.not_run("it took so long that it was asked to stop, and it did: --set gives smaller settings");
  }
}

/// After one of these the stage is not run any further: fix it first.
bool ends_the_stage(const Observation& one) {
  const auto is = [&](const char* rule) { return one.rule == rule; };
  if (is(Notes::rule_of_all)) return true;  // it cannot be run at all, or takes too long
  return one.outcome == Outcome::failed && (is("M5") || is("P5") || is("F1") || is("M2"));
}

void check_stages(const std::string& file, const Overview& overview, const Assignments& assigned,
                  std::vector<Observation>& all) {
  for (std::uint32_t stage = 0; stage < overview.stages.size(); ++stage) {
    for (const StageCheck& group : stage_checks()) {
      const auto seen = observe_in_child(
          [&](Notes& notes) { run_group(file, stage, group, assigned, notes); }, "M5", "P5");
      all.insert(all.end(), seen.begin(), seen.end());
      if (std::any_of(seen.begin(), seen.end(), ends_the_stage)) break;
    }
  }
}

/// What breaks a rule once often breaks it in every run: so much is told of a stage.
constexpr std::size_t most_told = 3;

/// The failures, else what passed, else why there is nothing to say; nothing twice.
RuleResult result_of(const Rule& rule, const std::vector<Observation>& all) {
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
    const bool why = one.rule == Notes::rule_of_all && rule.needs_run();
    if (why && reasons.insert({one.where, one.seen}).second) result.seen.push_back(one);
  }
  if (!result.seen.empty()) return result;
  result.seen.push_back({rule.number, Outcome::unchecked, "", rule.unchecked});
  return result;
}

}  // namespace

std::span<const StageCheck> stage_checks() { return groups; }

bool PluginResult::passed() const {
  return std::none_of(rules.begin(), rules.end(),
                      [](const RuleResult& rule) { return rule.outcome == Outcome::failed; });
}

PluginResult check_plugin(const std::string& file, const Assignments& assigned) {
  PluginResult result;
  result.file = file;
  std::vector<Observation> all;
  // Children work in a folder of their own.
  const std::string absolute = std::filesystem::absolute(file).string();
  if (check_library_file(absolute, all)) {
    const auto loading =
        observe_in_child([&](Notes& notes) { check_loading(absolute, notes); }, "L3", "L3");
    all.insert(all.end(), loading.begin(), loading.end());
    const Overview overview = overview_of(absolute);
    result.plugin = overview.plugin;
    if (!overview.plugin.empty()) {
      const auto initialised =
          observe_in_child([&](Notes& notes) { check_initialisation(absolute, notes); }, "L5", "L5");
      all.insert(all.end(), initialised.begin(), initialised.end());
      check_stages(absolute, overview, assigned, all);
    }
  }
  for (const Rule& rule : plugin_rules()) result.rules.push_back(result_of(rule, all));
  return result;
}

}  // namespace zz::host
