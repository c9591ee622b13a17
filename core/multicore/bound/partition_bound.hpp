#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/cuts/partition_graph.hpp"

namespace zz::core {

/// Steps of least_latency_of_partitions() that take about as long as a schedule of the same network, and
/// those that are few in any case.
inline constexpr std::int64_t steps_of_schedule = 20'000, few_steps = 10'000'000;

// In docs/limits.md.
inline constexpr std::size_t most_pairs_kept = 500'000;

/// Lower bound of the latency over all partitions with the least costs that are known of each cut. Branch
/// and bound over the cuts of the layers: where some are decided, what waits by pairs of cuts counts
/// (detail/cut_waits.hpp); where all are, the bound of that graph (schedule_bound). It ends where no other
/// partition has less than one of which no more is to be found out: all allocations that are looked at have
/// been, or what some cut costs there is not known. Or after so many steps: what is open has the bound that
/// it has then.
///
/// `of_menus`: the bound of all partitions, of which less is known. `shortest`: of a schedule that was
/// found; the bound is no more. Just `of_menus` where neighbours have more than `most_pairs_kept` pairs of
/// known costs of cuts.
double least_latency_of_partitions(const Workload& workload, PartitionGraphs& graphs,
                                   const CutPrices& prices,
                                   const std::shared_ptr<const MultiCoreAccelerator>& accelerator,
                                   double of_menus, double shortest, std::int64_t steps, int samples = 1);

}  // namespace zz::core
