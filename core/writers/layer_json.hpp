#pragma once
#include "core/workload/layer.hpp"
#include "core/writers/json_writer.hpp"

namespace zz::core {

/// The layer as result files describe it: equation, relations, loops, precisions (bits), the unrolling
/// that was used, and which memory operand serves which of its operands.
void write_layer(JsonWriter& json, const Layer& layer);

}  // namespace zz::core
