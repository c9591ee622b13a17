#pragma once
#include "zz/stage_abi.h"

namespace zz::host {

/// The extension "zz.score/0": metrics of many candidates at once. It uses the ability of the leaf, if
/// there is one; else it opens the chain for each row.
extern const zz_score score_table;

/// zz_internal::cost_model.
zz_status leaf_cost_model(zz_place* at, zz_value* context, void* model, zz_error* error) noexcept;

}  // namespace zz::host
