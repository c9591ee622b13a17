#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "host/values/stage_table.hpp"

#include "tools/check_plugin/sample_values.hpp"
#include "tools/check_plugin/stage_checks.hpp"

namespace zz::host {
namespace {

using Json = nlohmann::json;

bool claims(const StageCalls& calls, std::uint32_t flag) { return (calls.stage().flags & flag) != 0; }

std::string first_step(std::string_view key) {
  return std::string(core::text_of(core::steps_of(core::intern(key)).front()));
}

/// Keys that a stage may read and set, and whether that is all of them.
struct Declared {
  std::set<std::string> keys;
  bool any = false;

  void add(std::span<const zz_port> ports) {
    for (const zz_port& port : ports) {
      any = any || std::string_view(port.key) == "*";
      keys.insert(port.key);
      keys.insert(first_step(port.key));
    }
  }
};

void check_keys_read(StageCalls& calls, Findings& findings) {
  Declared declared;
  declared.add(consumed_by(calls.stage()));
  declared.add(provided_by(calls.stage()));
  for (const zz_param& parameter : parameters_of(calls.stage())) declared.keys.insert(parameter.name);
  // Parameters of every pipeline.
  declared.keys.insert({"seed", "compat"});
  for (const std::string& key : calls.host().use.read) {
    if (!declared.any && declared.keys.count(key) == 0)
      findings.failed("S3", fmt::format("reads the context key '{}', which it does not declare", key));
  }
}

bool fits(const core::Value& value, const zz_port& port) {
  const auto kind = static_cast<std::int32_t>(core::kind_of(value.ref()));
  if (port.kind == ZZ_NULL || (port.kind == ZZ_F64 && kind == ZZ_I64)) return true;
  if (kind != port.kind) return false;
  return kind != ZZ_OBJECT || port.type == nullptr || core::type_name_of(value.ref()) == port.type;
}

void check_keys_handed_down(StageCalls& calls, Findings& findings) {
  const auto& handed = calls.host().use.handed;
  Declared declared;
  declared.add(provided_by(calls.stage()));
  for (const auto& [key, value] : handed) {
    if (!declared.any && declared.keys.count(key) == 0)
      findings.failed("S3", fmt::format("hands down the context key '{}', which it does not declare", key));
  }
  for (const zz_port& port : provided_by(calls.stage())) {
    if (std::string_view(port.key) == "*") continue;
    const auto found = handed.find(first_step(port.key));
    if (found == handed.end()) {
      if ((port.flags & ZZ_OPTIONAL) == 0 && calls.host().use.visible.count(first_step(port.key)) == 0)
        findings.failed("S3", fmt::format("declares to hand down '{}', and does not", port.key));
    } else if (first_step(port.key) == port.key && !fits(found->second, port)) {
      findings.failed("S3", fmt::format("hands down '{}' as {}, and declares {}", port.key,
                                        core::describe(found->second.ref()), port_type_name(port)));
    }
  }
}

/// The evaluation of a result as text, without what the stage says that it writes.
std::string without_written(const std::string& evaluation, const zz_stage_desc& stage) {
  Json json = Json::parse(evaluation, nullptr, false);
  if (!json.is_object()) return evaluation;
  // Figures that follow from others cannot be written.
  std::set<std::string> written = {"edp"};
  for (const char* metric : std::span(stage.writes, stage.n_writes)) written.insert(metric);
  for (const zz_metric& metric : metrics_of(stage)) written.insert(metric.name);
  for (const std::string& metric : written) {
    json.erase(metric);
    if (json.contains("metrics") && json["metrics"].is_object()) json["metrics"].erase(metric);
  }
  return json.dump();
}

void check_forwards(StageCalls& calls, Findings& findings, const Trace& trace) {
  if (calls.host().below.openings() == 0 && trace.results.empty()) {
    findings.unchecked("S6", "forwards nothing here: it neither opens the chain below nor gives a result");
    return;
  }
  const auto& given = calls.host().below.results();
  if (given.size() != trace.results.size()) {
    findings.failed("S6", fmt::format("claims ZZ_STAGE_FORWARDS, and gives {} results of {}",
                                      trace.results.size(), given.size()));
    return;
  }
  if (writes_metric(calls.stage(), "*")) return;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& result = trace.results[i];
    const std::string evaluation = result.substr(0, result.find(Trace::separator));
    if (without_written(evaluation, calls.stage()) == without_written(given[i], calls.stage())) continue;
    findings.failed("S6",
                    fmt::format("claims ZZ_STAGE_FORWARDS, and changes in result {} more than the metrics "
                                "that it says it writes",
                                i + 1));
    return;
  }
  findings.passed("S6", "forwards each result, changed only where it says so");
}

void check_flags(StageCalls& calls, Findings& findings, const Trace& trace) {
  if (claims(calls, ZZ_STAGE_FORWARDS)) check_forwards(calls, findings, trace);
  if (claims(calls, ZZ_STAGE_REDUCES)) {
    if (trace.results.size() == 1)
      findings.passed("S6", "reduces to one result");
    else
      findings.failed("S6",
                      fmt::format("claims ZZ_STAGE_REDUCES, and gives {} results", trace.results.size()));
  }
  if (claims(calls, ZZ_STAGE_DETERMINISTIC)) {
    if (calls.run({}) == trace)
      findings.passed("S6", "gives the same results twice");
    else
      findings.failed("S6", "claims ZZ_STAGE_DETERMINISTIC, and gives other results the second time");
  }
}

void check_one(StageCalls& calls, Findings& findings) {
  if (!claims(calls, ZZ_STAGE_ONE)) return;
  StageCalls::Way way;
  way.plan.results = 1;
  const Trace trace = calls.run(way);
  if (trace.status != ZZ_OK) return;
  if (trace.results.size() == 1)
    findings.passed("S6", "gives one result for an opening");
  else
    findings.failed("S6", fmt::format("claims ZZ_STAGE_ONE, and gives {} results for an opening",
                                      trace.results.size()));
}

/// The figures of a result: what is left without the names of the layer.
std::string figures_of(const std::string& result) {
  Json json = Json::parse(result.substr(0, result.find(Trace::separator)), nullptr, false);
  if (json.is_object()) {
    json.erase("layer");
    json.erase("layer_ids");
  }
  return json.dump();
}

void check_anonymous(StageCalls& calls, Findings& findings, const Trace& trace) {
  ContextEntries context = calls.setup().context;
  bool renamed = false;
  for (const zz_port& port : consumed_by(calls.stage())) {
    if ((port.flags & ZZ_ANONYMOUS) == 0) continue;
    for (auto& [key, value] : context) {
      if (core::text_of(key) != port.key || core::type_name_of(value.ref()) != "layer") continue;
      value = renamed_layer(value);
      renamed = true;
    }
  }
  if (!renamed) return;
  StageCalls::Way way;
  way.context = &context;
  const Trace other = calls.run(way);
  const bool same =
      other.results.size() == trace.results.size() &&
      std::equal(other.results.begin(), other.results.end(), trace.results.begin(),
                 [](const std::string& a, const std::string& b) { return figures_of(a) == figures_of(b); });
  if (same)
    findings.passed("D3", "a layer under another name gets the same figures");
  else
    findings.failed("D3", "a layer under another name gets other figures");
}

/// The limits that the stage states; none when it does not.
zz_limits limits_of(StageCalls& calls) {
  zz_limits limits{};
  zz_stage* stage = nullptr;
  if (calls.stage().get_extension == nullptr || calls.create(stage).status != ZZ_OK || stage == nullptr)
    return limits;
  const auto* ability =
      static_cast<const zz_stage_limits*>(calls.stage().get_extension(stage, ZZ_STAGE_LIMITS));
  if (ability != nullptr && ZZ_HAS(ability, limits)) ability->limits(stage, &limits);
  calls.destroy(stage);
  return limits;
}

bool is_within(const std::string& evaluation, const zz_limits& limits) {
  const Json json = Json::parse(evaluation, nullptr, false);
  for (std::uint32_t i = 0; i < limits.n; ++i) {
    const auto figure = json.find(core::text_of(limits.metric[i]));
    if (figure == json.end() || !figure->is_number() || figure->get<double>() > limits.at_most[i])
      return false;
  }
  return true;
}

void check_limits(StageCalls& calls, Findings& findings) {
  const zz_limits limits = limits_of(calls);
  if (limits.n == 0) return;
  if (limits.n > std::size(limits.metric)) {
    findings.failed("D5", fmt::format("states {} limits, of which there are at most {}", limits.n,
                                      std::size(limits.metric)));
    return;
  }
  const Trace trace = calls.run({});
  std::vector<std::string> within;
  for (const std::string& given : calls.host().below.results())
    if (is_within(given, limits)) within.push_back(without_written(given, calls.stage()));
  std::vector<std::string> kept;
  for (const std::string& result : trace.results)
    kept.push_back(without_written(result.substr(0, result.find(Trace::separator)), calls.stage()));
  if (kept == within)
    findings.passed("D5", fmt::format("hands up the {} results within its limits", within.size()));
  else
    findings.failed("D5", fmt::format("states limits that {} of {} results keep, and hands up {}",
                                      within.size(), calls.host().below.results().size(), kept.size()));
}

}  // namespace

void check_claims(StageCalls& calls, Findings& findings) {
  const Trace trace = calls.run({});
  if (!trace.opened) return;
  check_keys_read(calls, findings);
  const bool opened_below = calls.host().use.opened_below;
  if (claims(calls, ZZ_STAGE_LEAF) && opened_below)
    findings.failed("S4", "claims ZZ_STAGE_LEAF, and opens the chain below");
  else
    findings.passed("S4", claims(calls, ZZ_STAGE_LEAF) ? "a leaf that opens nothing below" : "is no leaf");
  const bool opened = opened_below || calls.host().below.openings() > 0;
  if (opened && trace.status == ZZ_OK) check_keys_handed_down(calls, findings);
  check_limits(calls, findings);
  if (trace.status != ZZ_OK) {
    findings.unchecked("S6", "fails over the made-up context: " + trace.how_it_ended());
    return;
  }
  findings.passed("S3", "reads and hands down the keys that it declares");
  check_flags(calls, findings, calls.run({}));
  check_one(calls, findings);
  check_anonymous(calls, findings, trace);
}

}  // namespace zz::host
