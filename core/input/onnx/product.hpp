#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// An input operand of a product.
struct ProductOperand {
  std::vector<std::string> dimensions;  ///< as in LayerOperand
  int input = -1;                       ///< input of the node that it reads, or -1
  int product = -1;  ///< when it reads no input: index of the product of the node whose result it reads
  // Elements behind those of `input`, as new keys behind cached ones: another input of the node, or the
  // result of another product; -1 without.
  int joined_input = -1;
  int joined_product = -1;
  std::int64_t bits = 0;  ///< of an element, where the type of the tensor does not tell; else 0
};

/// One loop nest of a node: `O += W * I`. Most nodes have one.
struct Product {
  std::string suffix;  ///< follows the node's name: "" or "/scores"
  std::vector<LoopDimension> loops;
  std::vector<DimensionRelation> relations;
  std::vector<std::string> output_dimensions;
  ProductOperand weight, input;
  int output = 0;  ///< output of the node that it writes, or -1 for one that only other products read
  bool weight_first = true;  ///< the equation names W before I, as those of convolutions do
};

/// Product of all loop sizes; the largest std::int64_t stands for any number beyond it.
std::int64_t mac_count(const Product& product);

}  // namespace zz::core::onnx_import
