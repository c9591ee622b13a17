#pragma once
#include <cstdint>

#include "core/input/onnx/onnx_graph.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Bits per element, from the integer attributes that a node may carry beside the standard ones:
/// `weight_size` (8 when absent), `act_size` (8), `output_size` (twice act_size).
struct Precisions {
  std::int64_t weight = 8;
  std::int64_t activation = 8;  ///< of the input and of the finished output
  std::int64_t partial_sum = 16;
};

/// Throws NodeProblem when an attribute is no integer or negative.
Precisions read_precisions(const GraphNode& node);

/// Marks the operands I and W of the layer as constant or gives them their sources. Without predecessors
/// both are constant; with one, W is; with two, the first feeds I and the second W. Throws NodeProblem
/// when there are more.
void connect_operands(Layer& layer, const GraphNode& node);

/// Throws NodeProblem when the product of the loop sizes leaves the range of 64-bit integers.
void check_mac_count(const Layer& layer);

}  // namespace zz::core::onnx_import
