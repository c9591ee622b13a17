#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// Bits of an element of each tensor as it is written to memory: those of QuantizeLinear where nothing else
/// reads it, else those of its type.
std::vector<std::int64_t> written_bits(const Network& network);

/// The layer of one product of a node, without id, sources and mapping. Bits per element follow the types
/// of the tensors as they are kept in memory; partial sums have 32 bits, or 64 for float64. Attributes
/// `weight_size`, `act_size` and `output_size` of the node count before the types, and `settings` before
/// both. Throws NodeProblem.
Layer layer_of_product(const Network& network, const NetworkNode& node, const Product& product,
                       const std::vector<std::int64_t>& written_bits, const OnnxSettings& settings);

}  // namespace zz::core::onnx_import
