#include "host/chain/demand.hpp"

#include "core/value/name.hpp"
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

}  // namespace

zz_demand demand_below(const zz_place& place) {
  const bool forwards = (place.description->flags & ZZ_STAGE_FORWARDS) != 0;
  if (!forwards) return own_demand(place);
  return leaves_alone(*place.description, place.demand) ? place.demand : everything;
}

const zz_demands demands_table{sizeof(zz_demands), of};

}  // namespace zz::host
