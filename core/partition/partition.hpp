#pragma once
#include <vector>

#include "core/fusion/outer_loops.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// How a layer is cut: hint loops, the first one innermost. None: it stays whole.
using Cut = std::vector<HintLoop>;

/// The cuts of each layer that a search chooses from, by ascending layer id.
using LayerCuts = std::vector<std::vector<Cut>>;

/// A cut for each layer: indices into LayerCuts.
using Partition = std::vector<int>;

/// Layers by ascending id: those that partitions are about.
std::vector<std::shared_ptr<const Layer>> layers_by_id(const Workload& workload);

/// A partition as `hint_loops` of mode 3, one entry for layers that are cut alike.
std::vector<LayerHints> hints_of(const Partition& partition, const LayerCuts& cuts,
                                 const Workload& workload);

}  // namespace zz::core
