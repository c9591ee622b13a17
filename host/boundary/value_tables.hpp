#pragma once
#include "zz/internal_tier.h"
#include "zz/stage_abi.h"

namespace zz::host {

/// The tables behind the extensions "zz.values/0", "zz.evaluations/0" and "zz.internal/<build>". Constant,
/// they live as long as the process; every function in them is [any].
extern const zz_values values_table;
extern const zz_evaluations evaluations_table;
extern const zz_internal internal_table;

}  // namespace zz::host
