#pragma once
#include <span>

#include "core/cost/balance.hpp"

namespace zz::core {

/// Takes `spare` cycles from the longest transfers, levelled down together, each no further than its
/// minimum: what hiding leaves where the longest one alone cannot take it all (core/cost/balance.hpp).
void level_down(std::span<OneTimeTransfer> transfers, double spare);

}  // namespace zz::core
