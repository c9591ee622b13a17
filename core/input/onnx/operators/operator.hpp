#pragma once
#include <string_view>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
#include "core/input/onnx/product.hpp"

namespace zz::core::onnx_import {

/// One operator of ONNX: what follows from its inputs, and what it costs. Each file of this folder has one
/// family.
struct Operator {
  /// How an estimate counts it.
  enum class Work {
    none,           ///< it computes nothing with data: shapes, constants
    rearrangement,  ///< it moves elements and keeps their bits
    vector,         ///< it works on elements, one by one or in rows
    products,       ///< it multiplies and accumulates
  };

  std::string_view domain;  ///< "" is the standard one
  std::string_view name;
  Work work = Work::vector;
  /// Fills in the outputs as far as they follow. Throws NodeProblem for a node that cannot be.
  void (*infer)(const OperatorNode& node);
  /// The loop nests of a node whose outputs are filled in; null for those without products. Throws
  /// NodeProblem when a shape that they need is unknown.
  std::vector<Product> (*products)(const OperatorNode& node) = nullptr;
};

/// "products", "vector", "rearrangement" or "none".
std::string_view word_for(Operator::Work work);

inline constexpr std::string_view standard_domain = "";
inline constexpr std::string_view microsoft_domain = "com.microsoft";
inline constexpr std::string_view preview_domain = "ai.onnx.preview";

/// The operator of that name, or nullptr. "ai.onnx" is the standard domain.
const Operator* find_operator(std::string_view domain, std::string_view name);

/// All operators in order of families.
const std::vector<Operator>& all_operators();

/// The result has the type and the shape of the first input.
void infer_like_first_input(const OperatorNode& node);

// The families.
std::vector<Operator> constant_operators();
std::vector<Operator> elementwise_operators();
std::vector<Operator> rearranging_operators();
std::vector<Operator> joining_operators();
std::vector<Operator> indexing_operators();
std::vector<Operator> reducing_operators();
std::vector<Operator> normalising_operators();
std::vector<Operator> quantising_operators();
std::vector<Operator> image_operators();
std::vector<Operator> signal_operators();
std::vector<Operator> convolution_operators();
std::vector<Operator> matrix_product_operators();
std::vector<Operator> einsum_operators();
std::vector<Operator> recurrent_operators();
std::vector<Operator> attention_operators();
std::vector<Operator> expert_operators();

}  // namespace zz::core::onnx_import
