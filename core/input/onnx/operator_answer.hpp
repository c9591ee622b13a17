#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/product.hpp"

namespace zz::core::onnx_import {

/// What somebody else says about a node whose operator zz does not know.
struct OperatorAnswer {
  struct Output {
    ElementType type = ElementType::unknown;
    std::optional<Shape> shape;
  };
  std::vector<Output> outputs;    ///< those that it says something about, from the first on
  std::vector<Product> products;  ///< loop nests; none for an operator that multiplies nothing
};

/// Asked for each node of an unknown operator, in the order in which they run: its name, its operator
/// ("domain:Type"), and what is known of its inputs. Nothing stands for an operator that is unknown there,
/// too.
using ReadOperator = std::function<std::optional<OperatorAnswer>(
    const std::string& name, const std::string& op_type, const OperatorNode& node)>;

/// Why the answer cannot be one about the node, or "": more outputs or other inputs than the node has,
/// loops without iterations, dimensions without a loop.
std::string answer_problem(const OperatorAnswer& answer, const OperatorNode& node);

}  // namespace zz::core::onnx_import
