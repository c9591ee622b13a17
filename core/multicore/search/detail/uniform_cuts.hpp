#pragma once
#include <vector>

#include "core/multicore/search/partition.hpp"
#include "core/multicore/search/partition_search.hpp"

namespace zz::core {

/// The cuts that a search chooses from, and the partitions that it begins with: PartitionOptions::start, if
/// any, as the first, and those that cut all layers alike.
struct UniformCuts {
  CutMenus cuts;
  std::vector<Partition> partitions;
};

/// Throws InputError for dimensions that no layer has, and for a start that does not fit the network.
UniformCuts uniform_cuts(const Workload& workload, const PartitionOptions& options);

}  // namespace zz::core
