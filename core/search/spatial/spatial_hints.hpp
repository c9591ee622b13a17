#pragma once
#include <string>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// The loops (indices into Layer::loops) that may go onto an array dimension, in the order in which
/// candidates are made: those of the mapping's hints for it, else all. A hint without any loop of the layer
/// is not used, and adds a sentence to `warnings`.
std::vector<int> hinted_loops(const Layer& layer, const std::string& array_dimension,
                              std::vector<std::string>& warnings);

}  // namespace zz::core
