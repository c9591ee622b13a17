#pragma once
#include <optional>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// How energies carry over from one accelerator to another that differs in costs alone.
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
