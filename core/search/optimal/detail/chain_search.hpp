#pragma once
#include <memory>

#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

struct ChainsProven {
  bool at_end = false;     ///< no limit ended the search
  bool better = false;     ///< something was found
  double lower_bound = 0;  ///< of these tiles
};

/// Searches tiles that do not divide their loop (competing_lengths), under even unrollings and the one that
/// was found, for a pair that is better for the goal than `found`, the best pair whose tiles divide.
/// Changes the pair where there is one, and adds what was done; the lower bound stays. Spatial mappings and
/// lengths wait together in one queue, best first. Also ends when it has done about as much work as the
/// search for `found` (JointOptimum::multisets, states): mostly nothing is gained, and proofs should not
/// take much longer for it.
ChainsProven search_chains(const Layer& layer, const std::shared_ptr<const Accelerator>& accelerator,
                           const JointOptions& options, const Goal& goal, const SearchLimits& limits,
                           JointOptimum& found);

}  // namespace zz::core
