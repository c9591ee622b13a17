#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/hardware/accelerator.hpp"
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

/// Relations of energies on one accelerator to those on another that differs in costs alone.
///
/// The energy of a mapping is a sum of costs (of accesses to memories, and of operations), each times a
/// count on which no cost bears. So for every mapping
///   energy after = kept * energy before + energy on `rest`,
/// and `kept` times a lower bound before, plus a lower bound on `rest`, is a lower bound after.
struct CostChange {
  double kept = 1;   ///< the largest factor for which no cost of `rest` is negative
  Accelerator rest;  ///< its costs are what `kept` times the costs before leaves of those after
  bool none = true;  ///< no cost has changed
};

/// Nothing for accelerators that differ in more than costs, areas, and memories that hold twice the layer's
/// tensors before and after: whatever the mapping, those have room for it and for its second buffers.
/// Nothing either for arrays that compute in memory, whose energy has other terms. `before` is any problem
/// of the layer on the accelerator before.
std::optional<CostChange> cost_change(const MappingProblem& before, const Accelerator& after);

}  // namespace zz::core
