#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Products of matrices: Gemm, MatMul and their quantised and fused kinds.
namespace zz::core::onnx_import {
namespace {

/// The two factors as the product reads them.
struct Factors {
  Shape input, weight;
};

std::size_t second_factor(const OperatorNode& node) {
  const std::string& type = node.op_type();
  if (type == "QOrderedMatMul") return 2;
  return type == "QLinearMatMul" || type == "QGemm" ? 3 : 1;
}

/// GemmFastGelu takes what MatMul takes, whatever it is called.
bool is_gemm(const OperatorNode& node) {
  return node.op_type().find("Gemm") != std::string::npos && node.op_type() != "GemmFastGelu";
}

void transpose_last(Shape& shape, const char* attribute) {
  if (shape.size() < 2)
    throw NodeProblem(
        fmt::format("'{}' needs a tensor of 2 axes or more, it has {}", attribute, shape.size()));
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
}

/// The first axis holds the rows, and comes to stand behind the batch axes (FusedMatMul).
void rows_to_front(Shape& shape, const char* attribute) {
  if (shape.size() < 3)
    throw NodeProblem(
        fmt::format("'{}' needs a tensor of 3 axes or more, it has {}", attribute, shape.size()));
  std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
}

Factors factors_of(const OperatorNode& node, Shape input, Shape weight) {
  if (node.attributes().integer("transBatchA", 0) != 0) rows_to_front(input, "transBatchA");
  if (node.attributes().integer("transBatchB", 0) != 0) rows_to_front(weight, "transBatchB");
  if (node.attributes().integer("transA", 0) != 0) transpose_last(input, "transA");
  if (node.attributes().integer("transB", 0) != 0) transpose_last(weight, "transB");
  if (input.empty() || weight.empty()) throw NodeProblem("one of its factors is a single number");
  if (is_gemm(node) && (input.size() != 2 || weight.size() != 2))
    throw NodeProblem(
        fmt::format("its factors have {} and {} axes, expected are 2", input.size(), weight.size()));
  return {std::move(input), std::move(weight)};
}

/// The lengths of one product: batch axes of both factors, rows, summed, columns.
struct FactorLengths {
  Shape input_batch, weight_batch;
  std::int64_t rows = 1, summed = 1, columns = 1;
};

FactorLengths factor_lengths(const Factors& factors) {
  const auto& [input, weight] = factors;
  FactorLengths lengths;
  lengths.summed = input.back();
  if (input.size() >= 2) {
    lengths.rows = input[input.size() - 2];
    lengths.input_batch.assign(input.begin(), input.end() - 2);
  }
  std::int64_t other = weight.back();
  if (weight.size() >= 2) {
    lengths.columns = weight.back();
    other = weight[weight.size() - 2];
    lengths.weight_batch.assign(weight.begin(), weight.end() - 2);
  }
  if (lengths.summed == unknown_length) lengths.summed = other;
  if (other != unknown_length && other != lengths.summed)
    throw NodeProblem(
        fmt::format("its first factor has {} columns and its second {} rows", lengths.summed, other));
  return lengths;
}

ElementType product_type(const OperatorNode& node) {
  const std::string& type = node.op_type();
  if (type == "MatMulInteger" || type == "MatMulInteger16") return ElementType::int32;
  if (type == "GemmFloat8")
    return element_type(node.attributes().integer("dtype", static_cast<int>(ElementType::float32)));
  if (type == "MatMulIntegerToFloat" || type == "DynamicQuantizeMatMul") return ElementType::float32;
  if (type == "QLinearMatMul") return node.type(7) != ElementType::unknown ? node.type(7) : node.type(0);
  if (type == "QGemm") return node.has_input(7) ? node.type(0) : ElementType::float32;
  return node.type(0);
}

void infer_product(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const Shape* const weight = node.shape(second_factor(node));
  if (input == nullptr || weight == nullptr) return node.set(0, product_type(node), std::nullopt);
  const Factors factors = factors_of(node, *input, *weight);
  const FactorLengths lengths = factor_lengths(factors);
  Shape shape = broadcast(lengths.input_batch, lengths.weight_batch);
  if (factors.input.size() >= 2) shape.push_back(lengths.rows);
  if (factors.weight.size() >= 2) shape.push_back(lengths.columns);
  node.set(0, product_type(node), std::move(shape));
}

/// The loops that walk along the axes of both factors, those of batches left out.
void tell_axes(const OperatorNode& node, const Shape& input, const Shape& weight, Product& product) {
  const auto numbered = [](const Shape& shape) {
    Shape axes(shape.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
    return axes;
  };
  const Factors as_read = factors_of(node, numbered(input), numbered(weight));
  const auto tell = [](const Shape& axes, const char* last, const char* before, ProductOperand& operand) {
    operand.loop_of_axis.assign(axes.size(), "");
    if (axes.size() < 2) last = "C";
    operand.loop_of_axis[static_cast<std::size_t>(axes.back())] = last;
    if (axes.size() >= 2) operand.loop_of_axis[static_cast<std::size_t>(axes[axes.size() - 2])] = before;
  };
  tell(as_read.input, "C", "D", product.input);
  tell(as_read.weight, "K", "C", product.weight);
}

std::vector<Product> products_of(const OperatorNode& node) {
  const std::size_t weight = second_factor(node);
  const FactorLengths lengths =
      factor_lengths(factors_of(node, node.full_shape(0), node.full_shape(weight)));
  Product product =
      matrix_nest(lengths.input_batch, lengths.weight_batch, lengths.rows, lengths.summed, lengths.columns);
  product.input.input = 0;
  product.weight.input = static_cast<int>(weight);
  tell_axes(node, node.full_shape(0), node.full_shape(weight), product);
  return {std::move(product)};
}

// Products with weights that are packed, so that their tensor does not have the shape of the matrix
// (com.microsoft).

/// One matrix of weights: `columns` of `summed` elements, in an input of the node, for one of its outputs.
struct PackedMatrix {
  std::int64_t summed = unknown_length, columns = unknown_length;
  std::size_t input = 1, output = 0;
  std::int64_t bits = 4;  ///< of an element; 0: the type tells
  const char* suffix = "";
  std::size_t scales = 2, zero_points = none;  ///< inputs of the node

  static constexpr std::size_t none = 1000;
};

PackedMatrix by_shape(const OperatorNode& node, std::int64_t in_one, std::int64_t bits) {
  PackedMatrix matrix;
  matrix.bits = bits;
  if (const Shape* const weight = node.shape(1); weight != nullptr && weight->size() == 2) {
    matrix.columns = (*weight)[0];
    if ((*weight)[1] != unknown_length) matrix.summed = in_one * (*weight)[1];
  }
  return matrix;
}

std::vector<PackedMatrix> packed_matrices(const OperatorNode& node) {
  const std::string& type = node.op_type();
  if (type == "MatMulBlockQuantizedFp4Weight") return {by_shape(node, 2, 4)};
  if (type == "MatMulBlockQuantizedFp8Weight") return {by_shape(node, 1, 0)};
  if (type == "MatMulFpQ4") {
    const auto* const shape = node.integers(2);
    if (shape == nullptr || shape->size() != 2) return {PackedMatrix{}};
    return {PackedMatrix{(*shape)[0], (*shape)[1]}};
  }
  const auto attribute = [&](const char* name) { return node.attributes().required_integer(name); };
  const std::int64_t summed = attribute("K"), bits = node.attributes().integer("bits", 4);
  if (type == "MatMulNBitsMlp") {
    const std::int64_t columns = attribute("N");
    return {{summed, columns, 3, 0, bits, "/gate", 4}, {summed, columns, 6, 0, bits, "/up", 7}};
  }
  if (type == "MatMulNBitsQkv")
    return {{summed, attribute("Nq"), 3, 0, bits, "/q", 4},
            {summed, attribute("Nkv"), 6, 1, bits, "/k", 7},
            {summed, attribute("Nkv"), 9, 2, bits, "/v", 10}};
  // In training the weights of MatMulBnb4 are not transposed.
  if (type == "MatMulBnb4" && node.attributes().integer("transB", 1) == 0)
    return {{attribute("N"), summed, 1, 0, bits}};
  return {{summed, attribute("N"), 1, 0, bits, "", 2, type == "MatMulNBits" ? 3 : PackedMatrix::none}};
}

void infer_packed(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  for (const PackedMatrix& matrix : packed_matrices(node)) {
    if (input == nullptr || input->empty()) {
      node.set(matrix.output, node.type(0), std::nullopt);
      continue;
    }
    Shape shape = *input;
    shape.back() = matrix.columns;
    node.set(matrix.output, node.type(0), std::move(shape));
  }
  // The sum that is normalised is a result, too.
  const std::string& type = node.op_type();
  if (type == "MatMulNBitsMlp" || type == "MatMulNBitsQkv")
    node.set(type == "MatMulNBitsMlp" ? 1 : 3, node.type(0), node.shape_if_known(0));
}

std::vector<Product> packed_products(const OperatorNode& node) {
  const Shape& input = node.full_shape(0);
  std::vector<Product> products;
  for (const PackedMatrix& matrix : packed_matrices(node)) {
    if (matrix.columns < 1 || matrix.summed < 1 || input.empty() || input.back() != matrix.summed)
      throw NodeProblem(fmt::format("its input has {} columns and its weights {} rows",
                                    input.empty() ? 0 : input.back(), matrix.summed));
    const std::int64_t rows = input.size() >= 2 ? input[input.size() - 2] : 1;
    const Shape batch(input.begin(), input.size() >= 2 ? input.end() - 2 : input.begin());
    Product product = matrix_nest(batch, {}, rows, matrix.summed, matrix.columns);
    product.suffix = matrix.suffix;
    product.input.input = 0;
    product.weight.input = static_cast<int>(matrix.input);
    product.weight.bits = matrix.bits;
    if (matrix.bits > 0)
      product.weight.scale = scale_of_blocks(node, matrix.scales, matrix.zero_points, matrix.bits);
    product.output = static_cast<int>(matrix.output);
    products.push_back(std::move(product));
  }
  return products;
}

}  // namespace

std::vector<Operator> matrix_product_operators() {
  constexpr auto products = Operator::Work::products;
  std::vector<Operator> all;
  for (const char* name : {"MatMul", "Gemm", "MatMulInteger", "QLinearMatMul"})
    all.push_back({standard_domain, name, products, infer_product, products_of});
  for (const char* domain : {"qonnx.custom_op.general", "finn.custom_op.general"})
    all.push_back({domain, "XnorPopcountMatMul", products, infer_product, products_of});
  for (const char* name :
       {"FusedMatMul", "FusedGemm", "QGemm", "MatMulIntegerToFloat", "DynamicQuantizeMatMul",
        "TransposeMatMul", "FusedMatMulActivation", "GemmFloat8", "GemmFastGelu", "MatMulInteger16",
        "QOrderedMatMul", "SparseToDenseMatMul"})
    all.push_back({microsoft_domain, name, products, infer_product, products_of});
  for (const char* name : {"MatMulNBits", "MatMulBnb4", "MatMulFpQ4", "MatMulNBitsMlp", "MatMulNBitsQkv",
                           "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight"})
    all.push_back({microsoft_domain, name, products, infer_packed, packed_products});
  return all;
}

namespace {

// Mixtures of experts (com.microsoft MoE and QMoE): every token is multiplied by the matrices of a few
// experts.

struct MatrixInputs {
  int first, second, third;  ///< inputs with the weights of the three matrices; the third may be missing
};

MatrixInputs matrix_inputs_of(const OperatorNode& node) {
  return node.op_type() == "QMoE" ? MatrixInputs{2, 5, 8} : MatrixInputs{2, 4, 6};
}

/// One matrix of all experts. Tokens are spread evenly: which experts they choose is known at run time
/// only, and a trained router is balanced (Shazeer et al., ICLR 2017). Experts that get a token more than
/// others are a layer of their own.
void add_matrix(std::vector<Product>& products, const char* name, std::int64_t rows, std::int64_t experts,
                std::int64_t summed, std::int64_t columns, const ProductOperand& input, int weight,
                std::int64_t bits, const BlockScale& scale) {
  const std::int64_t more = rows % experts;
  for (const bool one_more : {false, true}) {
    const std::int64_t count = one_more ? more : experts - more;
    const std::int64_t own_rows = rows / experts + (one_more ? 1 : 0);
    if (count == 0 || own_rows == 0) continue;
    Product product = matrix_nest({count}, {count}, own_rows, summed, columns);
    product.suffix = fmt::format("/{}{}", name, one_more && rows >= experts ? "/more" : "");
    product.input.input = input.input;
    product.input.product = input.product;
    product.weight.input = weight;
    product.weight.bits = bits;
    product.weight.scale = scale;
    product.output = -1;
    products.push_back(std::move(product));
  }
}

/// The lengths of an expert's matrices.
struct ExpertShape {
  std::int64_t inner = 0;    ///< rows of the second matrix
  std::int64_t columns = 0;  ///< of the first one: as many, or twice as many with a gate in the same matrix
};

/// [experts, columns, rows], or [experts, rows, columns] as in older versions of the operator; packed
/// elements stand in the last axis. The shapes of both matrices decide; an expert of as many inner elements
/// as outer ones is the same in both.
ExpertShape shape_of(const OperatorNode& node, const MatrixInputs& inputs, std::int64_t width, bool gated) {
  const Shape& first = node.full_shape(static_cast<std::size_t>(inputs.first));
  const Shape& second = node.full_shape(static_cast<std::size_t>(inputs.second));
  const bool has_third = node.has_input(static_cast<std::size_t>(inputs.third));
  const std::int64_t bits = node.attributes().integer("expert_weight_bits", 4);
  const std::int64_t packed = node.op_type() == "QMoE" && bits > 0 && bits < 8 ? 8 / bits : 1;
  if (second.size() == 3 && second[0] == first[0]) {
    const auto fits = [&](std::int64_t columns, std::int64_t inner) {
      if (has_third) {
        const Shape& third = node.full_shape(static_cast<std::size_t>(inputs.third));
        if (third != first) return false;
      }
      return columns == 2 * inner ? !has_third : columns == inner && !gated;
    };
    const std::int64_t inner = second[2] * packed;
    if (first[2] * packed == width && second[1] == width && fits(first[1], inner)) return {inner, first[1]};
    const std::int64_t columns = first[2] * packed;
    if (first[1] == width && second[2] * packed == width && fits(columns, second[1]))
      return {second[1], columns};
  }
  const std::string third =
      has_third
          ? fmt::format(", {}", fmt::join(node.full_shape(static_cast<std::size_t>(inputs.third)), "x"))
          : "";
  throw NodeProblem(
      fmt::format("its matrices are {}{} and {} for tokens of {} elements{}", fmt::join(first, "x"), third,
                  fmt::join(second, "x"), width, gated ? " and a gate in the first one" : ""),
      "[experts, inner, outer] and [experts, outer, inner] are expected, or both the other way round; the "
      "inner axis of the first is twice as long with a gate in it");
}

std::vector<Product> expert_products(const OperatorNode& node) {
  const MatrixInputs inputs = matrix_inputs_of(node);
  const Shape& input = node.full_shape(0);
  const Shape& first = node.full_shape(static_cast<std::size_t>(inputs.first));
  if (first.size() != 3 || input.empty())
    throw NodeProblem(fmt::format("its weights have {} axes, expected are 3", first.size()));
  const std::int64_t chosen = node.attributes().integer("k", 4);
  const std::int64_t width = input.back(), experts = first[0];
  const std::int64_t tokens = element_count(Shape(input.begin(), input.end() - 1));
  const bool gated = node.attributes().integer("swiglu_fusion", 0) != 0;
  if (chosen < 1 || experts < 1 || chosen > experts)
    throw NodeProblem(fmt::format("each token chooses {} of {} experts", chosen, experts));
  const std::int64_t bits =
      node.op_type() == "QMoE" ? node.attributes().integer("expert_weight_bits", 4) : 0;
  const ExpertShape shape = shape_of(node, inputs, width, gated);
  const std::int64_t inner = shape.inner;
  ProductOperand tokens_read;
  tokens_read.input = 0;
  std::vector<Product> products;
  const auto scale = [&](int matrix) {
    const auto zero_points = static_cast<std::size_t>(11 + (matrix - inputs.first) / 3);
    return bits == 0 ? BlockScale()
                     : scale_of_blocks(node, static_cast<std::size_t>(matrix) + 1, zero_points, bits);
  };
  add_matrix(products, "fc1", tokens * chosen, experts, width, shape.columns, tokens_read, inputs.first,
             bits, scale(inputs.first));
  const int first_result = static_cast<int>(products.size()) - 1;
  if (node.has_input(static_cast<std::size_t>(inputs.third)))
    add_matrix(products, "fc3", tokens * chosen, experts, width, inner, tokens_read, inputs.third, bits,
               scale(inputs.third));
  ProductOperand inner_read;
  inner_read.product = first_result;
  add_matrix(products, "fc2", tokens * chosen, experts, inner, width, inner_read, inputs.second, bits,
             scale(inputs.second));
  if (!products.empty()) products.back().output = 0;
  return products;
}

}  // namespace

std::vector<Operator> expert_operators() {
  constexpr auto products = Operator::Work::products;
  return {{microsoft_domain, "MoE", products, infer_like_first_input, expert_products},
          {microsoft_domain, "QMoE", products, infer_like_first_input, expert_products}};
}

}  // namespace zz::core::onnx_import
