#pragma once
#include <memory>
#include <optional>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A pair of mappings that takes a small part of the time of find_joint_optimum(), for whoever has to
/// compare thousands of layers before it knows which of them it needs; and what no pair is below that
/// find_joint_optimum() may give.
struct FirstPair {
  SpatialUnrolling unrolling;
  MappingProblem problem;  ///< the layer with that unrolling
  TemporalMapping temporal;
  double energy = 0, latency = 0;   ///< of the pair: pJ, cycles
  double least_energy = 0;          ///< pJ
  double least_until_finished = 0;  ///< cycles until the units have finished (Evaluation::latency_total1)
};

/// The best of LOMA's orders of at most six factors under the generator's unrollings, by the objective and
/// then by the other figure. The floors are found without a search, over all unrollings that compete:
/// SpatialBounds; for the energy of unrollings that are many, unless it is (a part of) the objective,
/// CompulsoryBound. Deterministic; safe to call from several threads.
///
/// Nothing where no such order fits, and where the floors would not hold or not be known: within limits of
/// JointOptions::allowed, with chains of tiles, `compat`, or an array that computes in memory. Throws what
/// find_joint_optimum() throws for a layer without a legal spatial mapping.
std::optional<FirstPair> find_first_pair(const Layer& layer,
                                         const std::shared_ptr<const Accelerator>& accelerator,
                                         const JointOptions& options);

}  // namespace zz::core
