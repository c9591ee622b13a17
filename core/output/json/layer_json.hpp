#pragma once
#include "core/output/json/json_writer.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The layer as result files describe it: equation, relations, loops, precisions (bits), the unrolling
/// that was used, and which memory operand serves which of its operands.
void write_layer(JsonWriter& json, const Layer& layer);

}  // namespace zz::core
