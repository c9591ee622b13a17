#pragma once
#include <string>
#include <vector>

#include "core/input/stream/stream_onnx_layers.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// What a node without cost does to the shape of its data; of kind none for all but Reshape, Squeeze,
/// Unsqueeze, Flatten, Transpose, Gather and Concat. Indices of a Gather that the file does not hold count
/// as 0, with a warning in `doubts`. Throws NodeProblem.
ShapeChange shape_change_of(const Network& network, const StreamNode& node,
                            std::vector<std::string>& doubts);

}  // namespace zz::core::onnx_import
