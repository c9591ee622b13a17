#pragma once
#include <memory>

#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/cuts/partition_graph.hpp"

namespace zz::core {

// In docs/limits.md.
inline constexpr double most_partitions_bounded = 1024;

/// Lower bound of the latency over all partitions, from one of each (schedule_bound), with the least costs
/// that are known of each cut. 0 where there are more than `most_partitions_bounded`.
///
/// `of_menus`: the bound of a partition about which less is known. `shortest`: of a schedule that was
/// found; the bound is no more.
double least_latency_of_partitions(PartitionGraphs& graphs, const CutPrices& prices,
                                   const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                   double of_menus, double shortest, int samples = 1);

}  // namespace zz::core
