#include "host/chain/demand.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "core/cost/rates.hpp"
#include "core/schema/types.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"
#include "host/chain/place.hpp"
#include "host/chain/stage_call.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

constexpr zz_demand everything{};
constexpr std::uint32_t most_limits = 4;

constexpr std::uint32_t most_metrics = 4;

bool in_order(const zz_demand& demand) {
  return demand.keep > 0 && demand.n > 0 && demand.n <= most_metrics;
}

/// The instance of a place whose abilities count. Settings that a stage above may replace could change what
/// it says, so then nothing is taken for granted.
const Instance* certain_instance(const zz_place& place) {
  return place.overridable.empty() ? place.instance.get() : nullptr;
}

/// An ability of the stage, or nullptr.
template <class Ability>
const Ability* ability_of(const Instance* instance, const char* id) {
  if (instance == nullptr || instance->description->get_extension == nullptr) return nullptr;
  return static_cast<const Ability*>(instance->description->get_extension(instance->stage, id));
}

/// Its own wish as it says it.
zz_demand stated_demand(const zz_place& place, const Instance* instance) {
  StageCall call{const_cast<zz_place*>(&place), nullptr};
  const Entered entered(call);
  const auto* ability = ability_of<zz_stage_demand>(instance, ZZ_STAGE_DEMAND);
  zz_demand wanted{};
  if (ability != nullptr && ZZ_HAS(ability, demand)) ability->demand(instance->stage, &wanted);
  return wanted.n <= most_metrics ? wanted : everything;
}

/// Its own wish; everything when it has none.
zz_demand own_demand(const zz_place& place) {
  const zz_demand wanted = stated_demand(place, certain_instance(place));
  return in_order(wanted) ? wanted : everything;
}

/// Its own limits; none when it sets none.
zz_limits own_limits(const zz_place& place, const Instance* instance) {
  StageCall call{const_cast<zz_place*>(&place), nullptr};
  const Entered entered(call);
  zz_limits limits{};
  const auto* ability = ability_of<zz_stage_limits>(instance, ZZ_STAGE_LIMITS);
  if (ability != nullptr && ZZ_HAS(ability, limits)) ability->limits(instance->stage, &limits);
  return limits.n <= most_limits ? limits : zz_limits{};
}
zz_limits own_limits(const zz_place& place) { return own_limits(place, certain_instance(place)); }

bool leaves_alone(const zz_stage_desc& stage, const zz_name* metrics, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) {
    if (writes_metric(stage, core::text_of(metrics[i]))) return false;
  }
  return true;
}

bool leaves_alone(const zz_stage_desc& stage, const zz_place& place) {
  return leaves_alone(stage, place.wanted.demand.metric, place.wanted.demand.n) &&
         leaves_alone(stage, place.wanted.limits.metric, place.wanted.limits.n);
}

void within(zz_place* at, zz_demand* demand, zz_limits* limits) noexcept {
  if (demand == nullptr || limits == nullptr) return;
  const Wanted wanted = at != nullptr ? at->wanted : Wanted{};
  *demand = wanted.demand;
  *limits = wanted.limits;
}

/// A mapper that does not know limits might keep only what is beyond them.
void of(zz_place* at, zz_demand* out) noexcept {
  if (out != nullptr) *out = at != nullptr && at->wanted.limits.n == 0 ? at->wanted.demand : everything;
}

bool is_metric(std::string_view name) {
  return core::find_field(*core::type_of<core::Evaluation>(), core::intern(name)) != nullptr ||
         core::rate_row(name) != nullptr;
}

/// Names of figures, first those that users ask for: a message names a few.
std::vector<std::string> names_of_metrics(const std::vector<const zz_stage_desc*>& stages) {
  std::vector<std::string> names = {"energy_total", "latency_total2"};
  for (const zz_stage_desc* stage : stages)
    for (const zz_metric& metric : metrics_of(*stage)) names.emplace_back(metric.name);
  const core::Evaluation none;
  for (const core::Field& field : core::type_of<core::Evaluation>()->fields) {
    const core::Kind kind = core::kind_of(field.get(&none));
    if (kind == core::Kind::i64 || kind == core::Kind::f64) names.emplace_back(field.name);
  }
  for (const zz_stage_desc* stage : stages)
    for (const char* metric : std::span(stage->writes, stage->n_writes)) names.emplace_back(metric);
  return names;
}

FailurePointer check_metrics(const zz_place& place, const Instance* instance,
                             const std::vector<const zz_stage_desc*>& stages) {
  std::vector<const zz_stage_desc*> giving;
  for (const zz_place* below = &place; below != nullptr; below = below->below)
    giving.push_back(below->description);
  const auto given_by = [](const std::vector<const zz_stage_desc*>& some, std::string_view name) {
    return std::any_of(some.begin(), some.end(),
                       [&](const zz_stage_desc* stage) { return writes_metric(*stage, name); });
  };
  const zz_demand demand = stated_demand(place, instance);
  const zz_limits limits = own_limits(place, instance);
  std::vector<zz_name> compared(demand.metric, demand.metric + demand.n);
  compared.insert(compared.end(), limits.metric, limits.metric + limits.n);
  for (const zz_name metric : compared) {
    const std::string name(core::text_of(core::steps_of(metric).front()));
    if (is_metric(name) || given_by(giving, name)) continue;
    const std::string text =
        given_by(stages, name)
            ? fmt::format("compares results by '{}', which only a stage above it gives", name)
            : fmt::format("compares results by '{}', which no stage of the pipeline gives; {}", name,
                          core::suggestion(name, names_of_metrics(giving)));
    return make_failure(ZZ_E_INVALID, text, place.label);
  }
  return nullptr;
}

}  // namespace

FailurePointer check_metrics(const zz_place& place, const std::vector<const zz_stage_desc*>& stages) {
  return check_metrics(place, certain_instance(place), stages);
}

FailurePointer check_metrics(const zz_place& place, const Instance& instance) {
  return check_metrics(place, &instance, {});
}

Wanted wanted_below(const zz_place& place) {
  const zz_stage_desc& stage = *place.description;
  if ((stage.flags & ZZ_STAGE_FORWARDS) != 0) return leaves_alone(stage, place) ? place.wanted : Wanted{};
  const zz_limits own = own_limits(place);
  if (own.n == 0) return {own_demand(place), {}};
  if (!leaves_alone(stage, place) || place.wanted.limits.n + own.n > most_limits) return {};
  Wanted wanted = place.wanted;
  for (std::uint32_t i = 0; i < own.n; ++i) {
    wanted.limits.metric[wanted.limits.n] = own.metric[i];
    wanted.limits.at_most[wanted.limits.n++] = own.at_most[i];
  }
  return wanted;
}

std::vector<zz_name> compared_below(const zz_place& place) {
  std::vector<zz_name> names = place.compared;
  std::erase_if(names,
                [&](zz_name name) { return writes_metric(*place.description, core::text_of(name)); });
  const zz_demand demand = own_demand(place);
  const zz_limits limits = own_limits(place);
  names.insert(names.end(), demand.metric, demand.metric + demand.n);
  names.insert(names.end(), limits.metric, limits.metric + limits.n);
  return names;
}

const zz_demands demands_table{sizeof(zz_demands), of, within};

}  // namespace zz::host
