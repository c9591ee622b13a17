#pragma once
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Unrolling of a layer by a core: its dataflows (Accelerator::dataflows). Work on elements runs on lanes
/// along any of its loops: where a dataflow names loops that the layer does not have, the lanes go to the
/// longest others. A layer that adds something up keeps the dataflows.
///
/// A core without dataflows puts each array dimension on the longest loop of the layer's output that is
/// left.
SpatialUnrolling dataflow_of_layer(const Layer& layer, const Accelerator& core);

}  // namespace zz::core
