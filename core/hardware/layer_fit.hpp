#pragma once
#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Checks that the accelerator has units and that its memories can serve the layer: every layer operand is
/// linked to a memory operand that some memory holds, and data can travel between its levels: inputs need a
/// `tl` port at every level and `fh` at all but the topmost; the output needs `fl` at every level and `th`
/// at all but the topmost. Ports for partial sums are not asked for: only some mappings need them.
///
/// Throws InputError naming layer, operand, memory and what is missing, all problems at once.
void check_layer_fits(const Layer& layer, const Accelerator& accelerator);

/// Whether what is checked is the same for both layers: every accelerator fits both or none. Of their sizes
/// nothing is checked.
bool fit_alike(const Layer& a, const Layer& b);

}  // namespace zz::core
