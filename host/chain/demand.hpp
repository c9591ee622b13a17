#pragma once
#include <vector>

#include "host/chain/failure.hpp"
#include "zz/stage_abi.h"

struct zz_place;

namespace zz::host {

/// What is asked of an opening. With limits, the demand is about the results within them.
struct Wanted {
  zz_demand demand{};
  zz_limits limits{};
};

/// What is asked of the openings of the stage below `place`: its own demand; or what is asked of itself, if
/// it only forwards and leaves those metrics alone, or if it drops what is beyond limits of its own, which
/// then come on top. Everything when it states neither.
Wanted wanted_below(const zz_place& place);

/// What is wrong when the stage at `place` compares results by a figure that results do not have and that
/// none of the stages of the pipeline adds; else nullptr.
FailurePointer check_metrics(const zz_place& place, const std::vector<const zz_stage_desc*>& stages);

/// The extension "zz.demand/0".
extern const zz_demands demands_table;

}  // namespace zz::host
