#pragma once
#include "core/cost/deviation_tally.hpp"
#include "core/value/value.hpp"

namespace zz::host {

/// Adds the deviations of one (evaluation, extra) pair of a first stage. Either may be a list of such
/// pairs.
void add_deviations(core::DeviationTally& tally, const core::Value& evaluation, const core::Value& extra);

}  // namespace zz::host
