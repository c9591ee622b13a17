#pragma once
#include <vector>

#include "core/multicore/graph/cut.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// The cuts that compete for a layer.
using CutMenu = std::vector<Cut>;

/// The menu of each layer, by ascending layer id.
using CutMenus = std::vector<CutMenu>;

/// A cut for each layer: indices into CutMenus.
using Partition = std::vector<int>;

/// Layers by ascending id: those that partitions are about.
std::vector<std::shared_ptr<const Layer>> layers_by_id(const Workload& workload);

/// A partition as `hint_loops` of mode 3, one entry for layers that are cut alike.
std::vector<CutEntry> hints_of(const Partition& partition, const CutMenus& cuts, const Workload& workload);

}  // namespace zz::core
