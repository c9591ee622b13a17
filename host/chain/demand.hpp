#pragma once
#include <vector>

#include "host/chain/failure.hpp"
#include "zz/stage_abi.h"

struct zz_place;

namespace zz::host {

struct Instance;

/// Needs of the stages above from an opening. With limits, the demand counts the results within them.
struct Wanted {
  zz_demand demand{};
  zz_limits limits{};
};

/// The demand and limits for openings of the stage below `place`, by the stage at `place`:
///
/// - It states a demand: that one.
/// - It only forwards and does not write the metrics: those for its own openings.
/// - It states limits: those for its own openings, with its limits added.
/// - Else: every result.
Wanted wanted_below(const zz_place& place);

/// The figures by which stages at or above `place` compare or limit what comes from below it, without those
/// that a stage between writes.
std::vector<zz_name> compared_below(const zz_place& place);

/// A failure when the stage at `place` compares or limits results by a figure that evaluations lack and
/// that neither it nor a stage below adds; else nullptr. `stages` are those of the whole pipeline.
FailurePointer check_metrics(const zz_place& place, const std::vector<const zz_stage_desc*>& stages);

/// The same for an instance over a context, whose settings are known.
FailurePointer check_metrics(const zz_place& place, const Instance& instance);

/// The extension "zz.demand/0".
extern const zz_demands demands_table;

}  // namespace zz::host
