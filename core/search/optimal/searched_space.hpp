#pragma once
#include "core/cost/proof_space.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The space of a search for pairs (find_joint_optimum), as far as its options alone say.
ProofSpace space_of(const JointOptions& options);
/// The same with what the layer's entry of the mapping file leaves out.
ProofSpace space_of(const JointOptions& options, const Layer& layer, const Accelerator& accelerator);

/// The space that an optimum of that search is proven over. Where it is no worse than a bound of all
/// unrollings, none of them can be better (ProofSpace::unbeaten).
ProofSpace space_of(const JointOptimum& optimum, const JointOptions& options, const Layer& layer,
                    const Accelerator& accelerator);

/// The space of a search for temporal mappings alone (find_optimal_mapping): the unrolling is given.
ProofSpace space_of(const OptimumOptions& options, const Layer& layer);

}  // namespace zz::core
