#include "core/input/onnx/operators/matrix_nest.hpp"

#include <array>
#include <fmt/format.h>

namespace zz::core::onnx_import {
namespace {

/// One batch axis, or several as one.
struct BatchAxis {
  std::int64_t length;
  bool of_input, of_weight;
};

std::vector<BatchAxis> batch_axes(const Shape& input, const Shape& weight) {
  const Shape all = broadcast(input, weight);
  std::vector<BatchAxis> axes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto depends = [&](const Shape& shape) {
      const std::size_t missing = all.size() - shape.size();
      return i >= missing && (shape[i - missing] != 1 || all[i] == 1);
    };
    axes.push_back({all[i], depends(input), depends(weight)});
  }
  return axes;
}

constexpr std::size_t most_named_axes = 2;

void merge_neighbours(std::vector<BatchAxis>& axes) {
  for (std::size_t i = 0; i + 1 < axes.size() && axes.size() > most_named_axes;) {
    const BatchAxis next = axes[i + 1];
    // An axis of length 1 belongs to any other.
    const bool alike = axes[i].of_input == next.of_input && axes[i].of_weight == next.of_weight;
    if (!alike && axes[i].length != 1 && next.length != 1) {
      ++i;
      continue;
    }
    const BatchAxis& longer = axes[i].length == 1 ? next : axes[i];
    axes[i] = {axes[i].length * next.length, longer.of_input, longer.of_weight};
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

constexpr std::array<const char*, 8> loop_names{"B", "H", "G", "L", "M", "N", "P", "Q"};

}  // namespace

Product matrix_nest(const Shape& input_batch, const Shape& weight_batch, std::int64_t rows,
                    std::int64_t summed, std::int64_t columns) {
  std::vector<BatchAxis> axes = batch_axes(input_batch, weight_batch);
  merge_neighbours(axes);
  if (axes.size() > loop_names.size())
    throw NodeProblem(
        fmt::format("its operands are repeated over {} batch axes in turn, at most {} are possible",
                    axes.size(), loop_names.size()));
  Product product;
  product.weight_first = false;
  product.loops = {{"C", summed}, {"D", rows}, {"K", columns}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    product.loops.push_back({loop_names[i], axes[i].length});
    product.output_dimensions.emplace_back(loop_names[i]);
    if (axes[i].of_input) product.input.dimensions.emplace_back(loop_names[i]);
    if (axes[i].of_weight) product.weight.dimensions.emplace_back(loop_names[i]);
  }
  product.output_dimensions.insert(product.output_dimensions.end(), {"D", "K"});
  product.input.dimensions.insert(product.input.dimensions.end(), {"D", "C"});
  product.weight.dimensions.insert(product.weight.dimensions.end(), {"C", "K"});
  return product;
}

}  // namespace zz::core::onnx_import
