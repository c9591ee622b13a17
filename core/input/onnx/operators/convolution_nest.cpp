#include "core/input/onnx/operators/convolution_nest.hpp"

#include <algorithm>
#include <array>

namespace zz::core::onnx_import {
namespace {

// The last axis is the width, X; before it are Y and Z.
constexpr std::array<const char*, 3> output_loops{"OX", "OY", "OZ"}, filter_loops{"FX", "FY", "FZ"},
    data_dimensions{"IX", "IY", "IZ"};

DimensionRelation relation_of(std::size_t axis, const MovingWindow& window, std::int64_t length) {
  DimensionRelation relation;
  relation.data = data_dimensions[axis];
  relation.stride = window.stride;
  relation.output_loop = output_loops[axis];
  relation.dilation = window.dilation;
  relation.filter_loop = filter_loops[axis];
  relation.size = length;
  relation.padding_low = window.padding_low;
  relation.padding_high = window.padding_high;
  relation.has_padding = true;
  return relation;
}

}  // namespace

Product convolution_nest(std::int64_t batch, const ChannelsOfGroups& channels, const Shape& lengths,
                         const Shape& outputs, const std::vector<MovingWindow>& windows) {
  const std::size_t axes = std::max<std::size_t>(2, windows.size());
  const auto of_axis = [&](std::size_t axis, const Shape& list) {
    return axis < list.size() ? list[list.size() - 1 - axis] : 1;
  };
  Product product;
  product.loops = {{"B", batch}, {"K", channels.outputs_of_group}, {"G", channels.groups}};
  for (std::size_t axis = 0; axis < axes; ++axis)
    product.loops.push_back({output_loops[axis], of_axis(axis, outputs)});
  product.loops.push_back({"C", channels.inputs_of_group});
  product.output_dimensions = {"B", "G", "K"};
  product.weight.dimensions = {"G", "K", "C"};
  product.input.dimensions = {"B", "G", "C"};
  for (std::size_t axis = axes; axis-- > 0;) {
    product.output_dimensions.emplace_back(output_loops[axis]);
    product.weight.dimensions.emplace_back(filter_loops[axis]);
    product.input.dimensions.emplace_back(data_dimensions[axis]);
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const bool there = axis < windows.size();
    const MovingWindow window = there ? windows[windows.size() - 1 - axis] : MovingWindow{};
    product.loops.push_back({filter_loops[axis], window.kernel});
    product.relations.push_back(relation_of(axis, window, of_axis(axis, lengths)));
  }
  return product;
}

}  // namespace zz::core::onnx_import
