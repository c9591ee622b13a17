#pragma once
#include <vector>

#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/search/detail/plan.hpp"
#include "core/multicore/search/schedule_search.hpp"

namespace zz::core {

/// Partitions in lockstep over the cores of the most common kind: starts of a search over cuts where no
/// core can hold the constants of a layer that has many rows. Each core has a share of the rows of every
/// such layer, and each slice of its constants is one transfer to all of them.
///
/// Slices are as large as a share of a core's memory, so that the next one arrives beside the one at hand;
/// what a core reads of its rows is cut likewise where it would fill half of the memory. There is a
/// partition for each of some shares, the largest first, with at most `most_nodes` nodes. Their cuts are
/// appended to the menus. None where no layer asks for them; with several samples there is none either.
std::vector<Partition> lockstep_partitions(const Workload& workload,
                                           const MultiCoreAccelerator& accelerator,
                                           const ScheduleSearchOptions& options, int most_nodes,
                                           CutMenus& menus);

/// The partitions with cores and an order: a core has the same rows of all layers, and layers that one
/// layer reads take turns, piece by piece.
std::vector<Plan> lockstep_plans(const PartitionGraphs& graphs, const MultiCoreAccelerator& accelerator,
                                 const std::vector<Partition>& partitions);

}  // namespace zz::core
