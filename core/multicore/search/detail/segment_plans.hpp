#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/search/detail/plan.hpp"
#include "core/multicore/search/detail/plan_space.hpp"

namespace zz::core {

/// Samples in each node of a plan: as few as leave so many nodes.
int samples_of_plan(std::size_t layers, std::size_t cores, int samples, std::int64_t most_nodes);

/// Starts of a search over a batch: layers in segments (ScheduleChoice::segments), each layer on a grid
/// over all cores of the most common kind.
///
/// A dynamic program over the ends of segments. A segment takes, for all samples, the longest of its
/// pieces' work with what its cores receive from each other, of the work of a core of another kind, and of
/// its bits over the off-chip link. Grids inside of a segment are another program along its layers, with a
/// price for the room of constants, the least one with which they fit beside the pieces at hand. (J. Cai et
/// al.: SET, ISCA 2023, has the segments; the sums are of docs/cuts.md.) The figures of this model are
/// values that decide between plans, never bounds: a schedule says what a plan takes.
///
/// Returns plans without orders, for three weights of what cores receive: `order.segments` of each is set.
/// None when the layers are not in the order of their data, or no grid fits. A layer has grids where its
/// candidates are those cores and no others.
std::vector<Plan> segment_plans(const PlanSpace& space, PartitionGraphs& graphs, const CutPrices& prices,
                                const MultiCoreAccelerator& accelerator, std::int64_t most_nodes);

}  // namespace zz::core
