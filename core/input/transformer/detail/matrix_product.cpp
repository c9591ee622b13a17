#include "core/input/transformer/detail/matrix_product.hpp"

#include "core/base/text.hpp"

namespace zz::core {
namespace {

/// "[b][h][d][c]"
std::string brackets(const std::vector<std::string>& dimensions) {
  std::string text;
  for (const std::string& dimension : dimensions) text += "[" + lower_case(dimension) + "]";
  return text;
}

constexpr const char* band_dimension = "T";

DimensionRelation band_relation(const MatrixProduct& product) {
  DimensionRelation relation;
  relation.data = band_dimension;
  relation.output_loop = "D";
  relation.filter_loop = product.band;
  relation.size = product.band_tokens;
  const std::int64_t width = product.band == "K" ? product.columns : product.summed;
  relation.padding_low = product.rows + width - 1 - product.band_tokens;
  relation.has_padding = relation.padding_low > 0;
  return relation;
}

}  // namespace

Layer product_layer(const MatrixProduct& product) {
  Layer layer;
  layer.type = "MatMul";
  layer.loops = {{"C", product.summed}, {"D", product.rows}, {"K", product.columns}};
  std::vector<std::string> all, of_weights;
  for (const MatrixProduct::Axis& axis : product.batch) {
    layer.loops.push_back({axis.name, axis.size});
    all.emplace_back(axis.name);
    if (axis.of_weights) of_weights.emplace_back(axis.name);
  }
  const auto with = [](std::vector<std::string> names, const std::string& rows,
                       const std::string& columns) {
    names.push_back(rows);
    names.push_back(columns);
    return names;
  };
  const auto weight_axis = [&](const char* name) { return name == product.band ? band_dimension : name; };
  layer.operands = {{"O", with(all, "D", "K"), 0, false, {}},
                    {"I", with(all, "D", "C"), 0, false, {}},
                    {"W", with(of_weights, weight_axis("C"), weight_axis("K")), 0, false, {}}};
  if (!product.band.empty()) layer.relations = {band_relation(product)};
  layer.equation = "O" + brackets(layer.operands[0].dimensions) + " = I" +
                   brackets(layer.operands[1].dimensions) + " * W" + brackets(layer.operands[2].dimensions);
  return layer;
}

}  // namespace zz::core
