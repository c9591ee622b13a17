#pragma once
#include <cstdint>
#include <vector>

#include "core/input/onnx/operators/windows.hpp"
#include "core/input/onnx/product.hpp"

namespace zz::core::onnx_import {

/// The channels of a convolution; of a group where there are several.
struct ChannelsOfGroups {
  std::int64_t groups = 1, outputs_of_group = 1, inputs_of_group = 1;
};

/// The loop nest B, K, G, OX, OY, C, FX, FY of a convolution in one to three dimensions; OZ and FZ only for
/// three, and a height of 1 for one. Lengths are in the order of the file: the width last. The inputs that
/// the operands read are left to the caller.
Product convolution_nest(std::int64_t batch, const ChannelsOfGroups& channels, const Shape& lengths,
                         const Shape& outputs, const std::vector<MovingWindow>& windows);

}  // namespace zz::core::onnx_import
