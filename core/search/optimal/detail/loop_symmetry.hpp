#pragma once
#include <cstdint>
#include <vector>

#include "core/search/optimal/mapping_problem.hpp"
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

/// A key that is equal for spatial mappings of one layer that cost the same: the factors at each level of
/// each operand. Of the vectors that the symmetries lead to, it is the least. `energy_only`: the energy
/// depends on the fractional factors alone.
std::vector<std::int64_t> cost_key(const MappingProblem& problem, bool energy_only,
                                   const std::vector<std::vector<int>>& symmetries);

}  // namespace zz::core
