#pragma once
#include "core/search/fused/fused_search.hpp"

namespace zz::core {

/// Gives layers their own mappings back where these are better and have the room: those of a group that
/// saves nothing; and, with `single`, each one that shares no loops and exchanges nothing.
void prefer_own_mappings(FusedOptimum& found, Objective objective, bool single);

}  // namespace zz::core
