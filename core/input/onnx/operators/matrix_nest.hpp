#pragma once
#include <cstdint>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/product.hpp"

namespace zz::core::onnx_import {

/// The loop nest C, D, K of a product of matrices with D rows, C summed elements and K columns, with a loop
/// for each batch axis. `input_batch` and `weight_batch` are the lengths of the axes before rows and
/// columns; they are broadcast, and an operand that an axis is repeated for does not depend on its loop.
///
/// Up to two batch loops are called B and H. Neighbouring axes on which both operands depend alike are one
/// loop when there are more.
Product matrix_nest(const Shape& input_batch, const Shape& weight_batch, std::int64_t rows,
                    std::int64_t summed, std::int64_t columns);

}  // namespace zz::core::onnx_import
