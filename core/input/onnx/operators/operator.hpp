#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/input/onnx/operator_node.hpp"
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
  BlockScale scale = {};  ///< the same of a block
  /// By axis of `input` the loop that walks along it, "" where that is not one loop; empty: not told.
  std::vector<std::string> loop_of_axis = {};
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

/// One operator of ONNX: what follows from its inputs, and what it costs. Each file of this folder has one
/// family.
struct Operator {
  /// Work that an estimate counts for it.
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
  bool rounds = false;  ///< its result is its first input, in the bits in which the result is kept
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

/// Somebody else's word on a node whose operator zz does not know.
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
