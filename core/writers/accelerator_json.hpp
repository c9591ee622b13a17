#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// The accelerator as result files describe it: the array, the memories in file order, and per memory
/// operand the memories and their sizes (bits) from the lowest upwards.
nlohmann::ordered_json accelerator_json(const Accelerator& accelerator);

}  // namespace zz::core
