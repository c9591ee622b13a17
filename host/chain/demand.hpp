#pragma once
#include "zz/stage_abi.h"

struct zz_place;

namespace zz::host {

/// What is asked of the openings of the stage below `place`: its own demand, or what is asked
/// of itself if it only forwards and leaves those metrics alone; everything when it states no demand.
zz_demand demand_below(const zz_place& place);

/// The extension "zz.demand/0".
extern const zz_demands demands_table;

}  // namespace zz::host
