#pragma once
#include <span>

#include "zz/stage.hpp"

namespace zz::plugins {

inline constexpr const char* keep_others_doc =
    "hand all results up in the extra, the best one among them, instead of an empty list";

/// Runs the chain below `stage` over `ctx` and gives the best result: the one that is smallest by the first
/// criterion, among equals by the next one, among equals in all the first that came. Its extra is the list
/// of all [evaluation, extra] when `keep_others`, else an empty list.
///
/// Throws Error(ZZ_E_NO_RESULT) when nothing comes up, naming the layer where there is one.
Result best_result(const Stage& stage, const Value& ctx, std::span<const Name> criteria, bool keep_others);

/// What a reducer by these criteria needs from below.
zz_demand demand_for(std::span<const Name> criteria, bool keep_others);

}  // namespace zz::plugins
