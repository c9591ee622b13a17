#pragma once
#include <cstdint>

#include "zz/stage_abi.h"

namespace zz::host {

/// zz_score.same: whether the chain below `at` can find a difference between two contexts.
std::int32_t same_scores(zz_place* at, zz_value* a, zz_value* b, zz_name vary) noexcept;

}  // namespace zz::host
