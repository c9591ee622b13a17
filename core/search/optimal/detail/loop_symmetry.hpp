#pragma once
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// Symmetries of a layer: permutations of its loops after which it is the same layer, such as exchanging
/// rows and columns of square images and filters. A mapping and its permuted one cost the same, because the
/// cost model sees of a loop its size, its relevancy to each operand, and its relations.
///
/// Each permutation gives every loop of more than one iteration (index into Layer::loops) its new index.
/// The first is the identity. At most eight are found, and only the identity where the user's temporal
/// ordering names loops.
std::vector<std::vector<int>> loop_symmetries(const Layer& layer);

}  // namespace zz::core
