#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Checks that the accelerator has units and that its memories can serve the layer: every layer operand is
/// assigned to a memory operand that some memory holds, and data can travel between its levels: inputs need
/// a `tl` port at every level and `fh` at all but the topmost; the output needs `fl` at every level and
/// `th` at all but the topmost. Ports for partial sums are not asked for: only some mappings need them.
///
/// Throws InputError naming layer, operand, memory and what is missing, all problems at once.
void check_layer_fits(const Layer& layer, const Accelerator& accelerator);

/// The problems of the first layer that does not fit, and how many more do not, or that `along` of
/// `instruction` names loops which no layer has; empty when all fit.
std::string why_not_all_fit(const std::vector<std::shared_ptr<const Layer>>& layers,
                            const Accelerator& accelerator);

/// Why no mapping of the layer exists: a memory that is smaller than one element of each operand that it
/// has to hold. Names it, the bits and what gave them. Empty: every memory holds an element of each.
std::string why_no_element_fits(const Layer& layer, const Accelerator& accelerator);

/// For messages about an element that is too large: what gave it its bits, and, where nobody said them, how
/// to say them. `operand` is a name of Layer::assumed_precision: "O" for partial sums, "O_final", ...
std::string said_of_bits(const Layer& layer, const std::string& operand);

/// False for the layers that an in-memory-computing array leaves out: pooling and additions.
bool can_map(const Layer& layer, const Accelerator& accelerator);

}  // namespace zz::core
