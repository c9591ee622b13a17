#include "host/chain/demand.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

#include "core/diagnostics/nearest_name.hpp"
#include "core/schema/types.hpp"
#include "core/value/name.hpp"
#include "core/value/read.hpp"
#include "core/value/type.hpp"
#include "host/chain/place.hpp"
#include "host/chain/stage_call.hpp"
#include "host/plugins/stage_table.hpp"

namespace zz::host {
namespace {

constexpr zz_demand everything{};

bool in_order(const zz_demand& demand) { return demand.keep > 0 && demand.n > 0 && demand.n <= 4; }

/// Its own wish, asked through its ability; everything when it has none. Settings that a stage above may
/// replace could change it, so then nothing is taken for granted.
zz_demand own_demand(const zz_place& place) {
  if (place.instance == nullptr || !place.overridable.empty() ||
      place.description->get_extension == nullptr) {
    return everything;
  }
  StageCall call{const_cast<zz_place*>(&place), nullptr};
  const Entered entered(call);
  const auto* ability = static_cast<const zz_stage_demand*>(
      place.description->get_extension(place.instance->stage, ZZ_STAGE_DEMAND));
  if (ability == nullptr || !ZZ_HAS(ability, demand)) return everything;
  zz_demand wanted{};
  ability->demand(place.instance->stage, &wanted);
  return in_order(wanted) ? wanted : everything;
}

bool leaves_alone(const zz_stage_desc& stage, const zz_demand& demand) {
  for (std::uint32_t i = 0; i < demand.n; ++i) {
    if (writes_metric(stage, core::text_of(demand.metric[i]))) return false;
  }
  return true;
}

void of(zz_place* at, zz_demand* out) noexcept {
  if (out != nullptr) *out = at != nullptr ? at->demand : everything;
}

bool is_metric(std::string_view name) {
  return core::find_field(*core::type_of<core::Evaluation>(), core::intern(name)) != nullptr;
}

std::vector<std::string> names_of_metrics(const std::vector<const zz_stage_desc*>& stages) {
  std::vector<std::string> names;
  const core::Evaluation none;
  for (const core::Field& field : core::type_of<core::Evaluation>()->fields) {
    const core::Kind kind = core::kind_of(field.get(&none));
    if (kind == core::Kind::i64 || kind == core::Kind::f64) names.emplace_back(field.name);
  }
  for (const zz_stage_desc* stage : stages)
    for (const char* metric : std::span(stage->writes, stage->n_writes)) names.emplace_back(metric);
  return names;
}

}  // namespace

FailurePointer check_metrics(const zz_place& place, const std::vector<const zz_stage_desc*>& stages) {
  const zz_demand demand = own_demand(place);
  for (std::uint32_t i = 0; i < demand.n; ++i) {
    const std::string name(core::text_of(core::steps_of(demand.metric[i]).front()));
    const auto writes = [&](const zz_stage_desc* stage) { return writes_metric(*stage, name); };
    if (is_metric(name) || std::any_of(stages.begin(), stages.end(), writes)) continue;
    return make_failure(ZZ_E_INVALID,
                        fmt::format("compares results by '{}', which no stage of the pipeline gives; {}",
                                    name, core::suggestion(name, names_of_metrics(stages))),
                        place.label);
  }
  return nullptr;
}

zz_demand demand_below(const zz_place& place) {
  const bool forwards = (place.description->flags & ZZ_STAGE_FORWARDS) != 0;
  if (!forwards) return own_demand(place);
  return leaves_alone(*place.description, place.demand) ? place.demand : everything;
}

const zz_demands demands_table{sizeof(zz_demands), of};

}  // namespace zz::host
