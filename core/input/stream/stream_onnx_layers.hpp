#pragma once
#include <string>

#include "core/input/stream/stream_onnx_node.hpp"

namespace zz::core::onnx_import {

/// True for the operators that run on a core: convolutions, matrix products, pooling, and additions and
/// multiplications of two tensors of one shape.
bool is_stream_layer(const StreamNode& node, const TensorShapes& shapes);

/// The layer of such a node, without mapping. Throws NodeProblem.
Layer make_stream_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules);

/// The names under which a mapping file may mean the node, most specific first.
std::vector<std::string> mapping_names(const StreamNode& node, const Layer& layer, const Rules& rules);

}  // namespace zz::core::onnx_import
