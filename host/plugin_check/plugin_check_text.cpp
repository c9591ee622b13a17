#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/plugin_check/plugin_check.hpp"

namespace zz::host {
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

/// What was seen without saying it once for each stage.
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
      auto lines = lines_of(rule, verbose);
      text += fmt::format("  {:<18}  {:<2}  {}\n", word(outcome), rule.rule->number,
                          outcome == Outcome::failed ? rule.rule->statement : lines.front());
      const std::size_t first = outcome == Outcome::failed ? 0 : 1;
      for (std::size_t i = first; i < lines.size(); ++i) text += fmt::format("{:26}{}\n", "", lines[i]);
      if (outcome == Outcome::failed && rule.rule->remedy != nullptr)
        text += fmt::format("{:26}how to fix it: {}\n", "", rule.rule->remedy);
    }
  }
  return text + fmt::format("  {} rules passed, {} failed, {} not checkable here\n",
                            count(result, Outcome::passed), count(result, Outcome::failed),
                            count(result, Outcome::unchecked));
}

std::string to_json(const std::vector<PluginResult>& results) {
  using Json = nlohmann::ordered_json;
  Json files = Json::array();
  for (const PluginResult& result : results) {
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
                     {"rules", std::move(rules)}});
  }
  return Json{{"files", std::move(files)}}.dump(2) + "\n";
}

}  // namespace zz::host
