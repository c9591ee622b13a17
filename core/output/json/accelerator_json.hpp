#pragma once
#include "core/hardware/accelerator.hpp"
#include "core/output/json/json_writer.hpp"

namespace zz::core {

/// The accelerator as result files describe it: the array, the memories in file order, and per memory
/// operand the memories and their sizes (bits) from the lowest upwards.
void write_accelerator(JsonWriter& json, const Accelerator& accelerator);

}  // namespace zz::core
