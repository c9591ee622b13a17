#include <fmt/format.h>

#include "core/input/onnx/operators/matrix_nest.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Mixtures of experts (com.microsoft MoE and QMoE): every token is multiplied by the matrices of a few
// experts.
namespace zz::core::onnx_import {
namespace {

struct Places {
  int first, second, third;  ///< inputs with the weights of the three matrices; the third may be missing
};

Places places_of(const OperatorNode& node) {
  return node.op_type() == "QMoE" ? Places{2, 5, 8} : Places{2, 4, 6};
}

/// One matrix of all experts. Tokens are spread evenly: which experts they choose is known at run time
/// only, and a trained router is balanced (Shazeer et al., ICLR 2017). Experts that get a token more than
/// others are a layer of their own.
void add_matrix(std::vector<Product>& products, const char* name, std::int64_t rows, std::int64_t experts,
                std::int64_t summed, std::int64_t columns, const ProductOperand& input, int weight,
                std::int64_t bits) {
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
    product.output = -1;
    products.push_back(std::move(product));
  }
}

std::vector<Product> expert_products(const OperatorNode& node) {
  const Places places = places_of(node);
  const Shape& input = node.full_shape(0);
  const Shape& first = node.full_shape(static_cast<std::size_t>(places.first));
  if (first.size() != 3 || input.empty())
    throw NodeProblem(fmt::format("its weights have {} axes, expected are 3", first.size()));
  const std::int64_t chosen = node.attributes().integer("k", 4);
  const std::int64_t width = input.back(), experts = first[0];
  const std::int64_t tokens = element_count(Shape(input.begin(), input.end() - 1));
  const bool gated = node.attributes().integer("swiglu_fusion", 0) != 0;
  if (chosen < 1 || experts < 1 || chosen > experts)
    throw NodeProblem(fmt::format("each token chooses {} of {} experts", chosen, experts));
  const std::int64_t inner = gated ? first[1] / 2 : first[1];
  const std::int64_t bits =
      node.op_type() == "QMoE" ? node.attributes().integer("expert_weight_bits", 4) : 0;
  ProductOperand tokens_read;
  tokens_read.input = 0;
  std::vector<Product> products;
  add_matrix(products, "fc1", tokens * chosen, experts, width, gated ? 2 * inner : inner, tokens_read,
             places.first, bits);
  const int first_result = static_cast<int>(products.size()) - 1;
  if (node.has_input(static_cast<std::size_t>(places.third)))
    add_matrix(products, "fc3", tokens * chosen, experts, width, inner, tokens_read, places.third, bits);
  ProductOperand inner_read;
  inner_read.product = first_result;
  add_matrix(products, "fc2", tokens * chosen, experts, inner, width, inner_read, places.second, bits);
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
