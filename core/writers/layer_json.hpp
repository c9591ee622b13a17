#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/workload/layer.hpp"

namespace zz::core {

/// The layer as result files describe it: equation, relations, loops, precisions (bits), the unrolling
/// that was used, and which memory operand serves which of its operands.
nlohmann::ordered_json layer_json(const Layer& layer);

}  // namespace zz::core
