#pragma once
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Ways to rename the loops of a layer after which it is the same layer: rows and columns of square images
/// and filters change places. By each, every loop of more than one iteration (index into Layer::loops) has
/// its new index. The first changes nothing. A temporal ordering of the user's names loops, so that nothing
/// else is given then; nor are more than a few.
///
/// A mapping and its renamed one have the same figures: the cost model sees of a loop its size, how it
/// bears on each operand, and the relations it takes part in.
std::vector<std::vector<int>> loop_symmetries(const Layer& layer);

}  // namespace zz::core
