#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator_check.hpp"

namespace zz::core {

/// What is wrong with the keys of memories and ports that ZigZag and Stream do not have: `overlap` and
/// `line` of ports, `tile_interval` and `shared_tiles` of memories.
std::vector<AcceleratorProblem> find_memory_key_problems(const Accelerator& accelerator);

/// The first of these keys that the accelerator has, in words: "tile_interval of memory 'l1'". "": none.
std::string first_memory_key(const Accelerator& accelerator);

}  // namespace zz::core
