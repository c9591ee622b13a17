#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/hardware/accelerator_check.hpp"

namespace zz::core {

/// Nothing if a share of a peak may be the `efficiency` of the part in words, as "the array".
std::string efficiency_problem(double share, const std::string& where);

/// Problems with the keys of memories and ports that ZigZag and Stream do not have: `efficiency`,
/// `overlap`, `line` and `request` of ports, `tile_interval`, `shared_tiles` and `format` of memories.
std::vector<AcceleratorProblem> find_memory_key_problems(const Accelerator& accelerator);

/// The keys by which an accelerator tells what takes time, or where data move, besides what ZigZag and
/// Stream know: "fold", "request", ... Each once, in the order of the alphabet.
std::set<std::string> further_keys(const Accelerator& accelerator);
/// The first of them in the accelerator, in words: "fold of the array", "tile_interval of memory 'l1'". "":
/// none.
std::string first_further_key(const Accelerator& accelerator);

/// Some port moves data by requests.
bool asks_for_layouts(const Accelerator& accelerator);

}  // namespace zz::core
