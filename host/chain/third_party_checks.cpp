#include "host/chain/third_party_checks.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/cost/audit.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

constexpr std::array<std::string_view, 5> mapping_keys = {"temporal_mapping", "spatial_mapping",
                                                          "spatial_mapping_int", "layer", "accelerator"};

bool provides_mappings(const zz_stage_desc& stage) {
  const auto ports = provided_by(stage);
  return std::any_of(ports.begin(), ports.end(), [](const zz_port& port) {
    const std::string_view key = port.key;
    return key == "*" || std::find(mapping_keys.begin(), mapping_keys.end(), key) != mapping_keys.end();
  });
}

/// The setting `compat` of the leaf below; "" when it has none.
std::string_view compat_below(const zz_place& at) {
  const zz_place* leaf = &at;
  while (leaf->below != nullptr) leaf = leaf->below;
  for (const ResolvedSetting& setting : leaf->settings) {
    std::string_view text;
    if (std::string_view(setting.parameter->name) == "compat" && core::read_text(setting.value.ref(), text))
      return text;
  }
  return "";
}

FailurePointer broken_rule(const zz_place& at, const std::string& what) {
  return make_rule_failure("hands down a mapping that cannot be: " + what, "S9", at.label);
}

}  // namespace

core::Rules rules_below(const zz_place* at) {
  return at == nullptr ? core::Rules() : core::rules_of(compat_below(*at));
}

bool is_third_party(const zz_plugin& plugin) { return plugin.build == nullptr; }

bool is_third_party(const zz_place& at) { return at.plugin != nullptr && is_third_party(*at.plugin); }

namespace {

/// Things that stages below take: the names of settings and of context keys, and of which kind they are.
struct Taken {
  std::vector<std::string> names;
  std::optional<std::int32_t> kind;  ///< of the key that was asked for; std::nullopt: nobody takes it
};

void add_taken(const zz_place* first, std::string_view key, Taken& taken) {
  for (const zz_place* place = first; place != nullptr; place = place->below) {
    for (const zz_param& setting : parameters_of(*place->description)) {
      taken.names.emplace_back(setting.name);
      if (key == setting.name) taken.kind = setting.kind;
    }
    for (const zz_port& port : consumed_by(*place->description)) {
      taken.names.emplace_back(port.key);
      if (key == port.key) taken.kind = port.kind;
    }
    for (const zz_place::Nested& nested : place->nested) add_taken(nested.above->below, key, taken);
  }
}

/// The line that declares a key, in the language of the stage: classes of Python have plugins of that name.
std::string declaring_line(const zz_place& at, std::string_view key, std::int32_t kind) {
  struct Kind {
    std::int32_t kind;
    const char *in_python, *in_c;
  };
  constexpr Kind kinds[] = {{ZZ_BOOL, "bool", "ZZ_BOOL"}, {ZZ_I64, "int", "ZZ_I64"},
                            {ZZ_F64, "float", "ZZ_F64"},  {ZZ_STR, "str", "ZZ_STR"},
                            {ZZ_LIST, "list", "ZZ_LIST"}, {ZZ_MAP, "map", "ZZ_MAP"}};
  Kind meant = {kind, "any", "ZZ_NULL"};
  for (const Kind& known : kinds)
    if (known.kind == kind) meant = known;
  if (std::string_view(text_or_empty(at.plugin->id)).starts_with("python:"))
    return fmt::format(R"(provides = {{"{}": "{}"}})", key, meant.in_python);
  return fmt::format(R"(zz::port("{0}", {1}, "...") in C++, {{"{0}", {1}, ...}} in C)", key, meant.in_c);
}

}  // namespace

FailurePointer check_declared(const zz_place& at, const core::Value& context) {
  if (!at.declared) return nullptr;
  const std::optional<core::Name> found = key_set_besides(context, *at.declared);
  if (!found) return nullptr;
  const std::string key(core::text_of(*found));
  Taken taken;
  add_taken(at.below, key, taken);
  const std::string what =
      fmt::format("hands down the context key '{}', which it does not declare", core::shown_text(key));
  if (!taken.kind)
    return make_failure(
        ZZ_E_INVALID,
        fmt::format("{}, and no stage below takes it (rule S3 of docs/abi.md); {}", what,
                    core::suggestion(core::text_of(core::steps_of(*found).front()), taken.names)),
        at.label);
  return make_failure(ZZ_E_INVALID,
                      fmt::format("{} (rule S3 of docs/abi.md); add to what it provides: {}", what,
                                  declaring_line(at, key, *taken.kind)),
                      at.label);
}

bool hands_down_mappings(const zz_place& at) {
  return is_third_party(at) && provides_mappings(*at.description);
}

FailurePointer check_handed_down(const zz_place& at, const core::Value& context) {
  if (!hands_down_mappings(at)) return nullptr;
  const auto* const layer = object_in_context<core::Layer>(context, "layer");
  const auto* const accelerator = object_in_context<core::Accelerator>(context, "accelerator");
  const auto* const unrolling = object_in_context<core::SpatialMapping>(context, "spatial_mapping");
  if (layer == nullptr || accelerator == nullptr || unrolling == nullptr) return nullptr;
  try {
    const core::Rules rules = rules_below(&at);
    const core::MappingCheck check(*layer, *accelerator, *unrolling, rules);
    if (const auto* whole = object_in_context<core::SpatialMapping>(context, "spatial_mapping_int"))
      core::MappingCheck(*layer, *accelerator, *whole, rules);
    if (const auto* mapping = object_in_context<core::TemporalMapping>(context, "temporal_mapping"))
      check.check(*mapping);
  } catch (const std::exception& problem) {
    return broken_rule(at, problem.what());
  }
  return nullptr;
}

std::unique_ptr<const core::MappingCheck> check_of_scored(const zz_place& at, const core::Value& context) {
  if (!is_third_party(at)) return nullptr;
  const auto* const layer = object_in_context<core::Layer>(context, "layer");
  const auto* const accelerator = object_in_context<core::Accelerator>(context, "accelerator");
  const auto* const unrolling = object_in_context<core::SpatialMapping>(context, "spatial_mapping");
  if (layer == nullptr || accelerator == nullptr || unrolling == nullptr) return nullptr;
  return std::make_unique<const core::MappingCheck>(*layer, *accelerator, *unrolling, rules_below(&at));
}

FailurePointer check_scored(const core::MappingCheck& check, const zz_place& at, core::Ref mapping) {
  mapping = core::look_through(mapping);
  if (mapping.type != core::type_of<core::TemporalMapping>()) return nullptr;
  try {
    check.check(*core::object_in<core::TemporalMapping>(mapping));
  } catch (const std::exception& problem) {
    return broken_rule(at, problem.what());
  }
  return nullptr;
}

namespace {

/// Figures that are 0 only when they were not given.
constexpr std::array<std::string_view, 8> never_zero = {
    "ideal_cycle",      "ideal_temporal_cycle", "latency_total0",   "latency_total1",
    "mac_utilization0", "mac_utilization1",     "mac_utilization2", "mac_spatial_utilization"};

std::string layer_named(const core::Evaluation& evaluation, const core::Value& context) {
  const core::Layer* layer = evaluation.layer.get();
  if (layer == nullptr) layer = object_in_context<core::Layer>(context, "layer");
  return layer == nullptr ? "" : fmt::format(" of layer '{}'", layer->name);
}

/// The figure by which a stage above compares results and which the evaluation does not give, or "".
std::string_view missing_figure(const std::vector<zz_name>& compared, core::Ref evaluation) {
  for (const zz_name name : compared) {
    const std::string_view text = core::text_of(name);
    if (std::find(never_zero.begin(), never_zero.end(), text) == never_zero.end()) continue;
    double figure = 0;
    if (!core::read_f64(core::part(evaluation, name), figure) || !(figure > 0)) return text;
  }
  return "";
}

/// The impossible figure of the evaluation, or "". Sums may add up layers that give breakdowns and layers
/// that give none, and a stage may change the total of a schedule: in those, parts are left alone.
std::string impossible_figures(const core::Evaluation& evaluation, bool of_leaf) {
  constexpr double tolerance = 1e-9;
  const bool of_something = !evaluation.is_sum() || !evaluation.layer_ids.empty() || of_leaf;
  if (of_something && !(evaluation.latency_total2 > 0))
    return fmt::format("whose latency is {} cycles", evaluation.latency_total2);
  if (evaluation.ideal_cycle > evaluation.latency_total2 * (1 + tolerance))
    return fmt::format(
        "whose utilisation is {:.6g} %: {} cycles are fewer than the {} of units that are always busy",
        100 * evaluation.mac_utilization2(), evaluation.latency_total2, evaluation.ideal_cycle);
  if (!of_leaf && evaluation.layer == nullptr) return "";
  const auto found = core::audit(evaluation, core::AuditScope::given);
  return found.empty() ? "" : fmt::format("that breaks the rule of {}", found.front());
}

FailurePointer check_one(const zz_place& at, const core::Value& context, core::Ref ref) {
  ref = core::look_through(ref);
  if (ref.type != core::type_of<core::Evaluation>()) return nullptr;
  const core::Evaluation& evaluation = *core::object_in<core::Evaluation>(ref);
  const bool leaf = at.below == nullptr;
  std::string wrong = impossible_figures(evaluation, leaf);
  // Some figures of the originals are impossible; the stage may only hand them on.
  if (!leaf && !wrong.empty() && !compat_below(at).empty()) return nullptr;
  if (const std::string_view name = leaf ? missing_figure(at.compared, ref) : "";
      wrong.empty() && !name.empty())
    wrong = fmt::format("without '{}', by which a stage above compares", name);
  if (wrong.empty()) return nullptr;
  return make_rule_failure(
      fmt::format("handed on an evaluation{} {}", layer_named(evaluation, context), wrong), "S10",
      at.label);
}

}  // namespace

bool audits(const zz_place& at) { return is_third_party(at); }

FailurePointer check_handed_on(const zz_place& at, const core::Value& context,
                               const core::Value& evaluation) {
  const core::Ref ref = core::look_through(evaluation.ref());
  const core::Kind kind = core::kind_of(ref);
  if (kind != core::Kind::null && kind != core::Kind::list && ref.type != core::type_of<core::Evaluation>())
    return make_rule_failure(fmt::format("handed on {} in the place of an evaluation", core::describe(ref)),
                             "S5", at.label);
  if (kind != core::Kind::list) return check_one(at, context, evaluation.ref());
  for (std::uint32_t i = 0; i < core::count_of(evaluation.ref()); ++i) {
    const core::Ref part = core::look_through(core::part_at(evaluation.ref(), i));
    const core::Kind kind_of_part = core::kind_of(part);
    // Evaluations, or pairs with one, as those of ListifyStage.
    if (kind_of_part != core::Kind::list && part.type != core::type_of<core::Evaluation>())
      return make_rule_failure(
          fmt::format("handed on a list with {} in it in the place of an evaluation", core::describe(part)),
          "S5", at.label);
    if (FailurePointer failure = check_one(at, context, core::part_at(evaluation.ref(), i));
        failure != nullptr)
      return failure;
  }
  return nullptr;
}

}  // namespace zz::host
