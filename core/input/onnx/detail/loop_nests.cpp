#include "core/input/onnx/detail/loop_nests.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/workload/layer_check.hpp"

namespace zz::core::onnx_import {
namespace {

std::vector<std::int64_t> numbers_for_axes(const OperatorNode& node, const char* name, std::size_t count,
                                           std::int64_t otherwise, std::int64_t smallest) {
  const auto given = node.attributes().integers(name);
  if (!given) return std::vector<std::int64_t>(count, otherwise);
  if (given->size() != count)
    throw NodeProblem(
        fmt::format("the attribute '{}' has {} values, expected {}", name, given->size(), count));
  for (const std::int64_t value : *given) {
    if (value < smallest) throw below_smallest(name, value, smallest);
    if (value > largest_relation_number)
      throw NodeProblem(fmt::format("the attribute '{}' holds {}, at most {} is possible", name, value,
                                    largest_relation_number));
  }
  return *given;
}

}  // namespace

bool has_channels_last(const OperatorNode& node) {
  return node.attributes().integer("channels_last", 0) != 0 || node.op_type().rfind("Nhwc", 0) == 0;
}

Shape channels_first(const OperatorNode& node, Shape image) {
  if (has_channels_last(node) && image.size() > 2)
    std::rotate(image.begin() + 1, image.end() - 1, image.end());
  return image;
}

Shape channels_as_stored(const OperatorNode& node, Shape image) {
  if (has_channels_last(node) && image.size() > 2)
    std::rotate(image.begin() + 1, image.begin() + 2, image.end());
  return image;
}

std::vector<MovingWindow> moving_windows(const OperatorNode& node, const Shape& lengths,
                                         const Shape& kernel) {
  const std::size_t axes = lengths.size();
  if (kernel.size() != axes)
    throw NodeProblem(fmt::format("its kernel has {} axes and its image {}", kernel.size(), axes));
  const auto strides = numbers_for_axes(node, "strides", axes, 1, 1);
  const auto dilations = numbers_for_axes(node, "dilations", axes, 1, 1);
  const auto pads = numbers_for_axes(node, "pads", 2 * axes, 0, 0);
  const std::string automatic = node.attributes().text("auto_pad", "NOTSET");
  std::vector<MovingWindow> windows;
  for (std::size_t i = 0; i < axes; ++i) {
    if (kernel[i] < 1) throw below_smallest("kernel_shape", kernel[i], 1);
    if (kernel[i] > largest_relation_number)
      throw NodeProblem(fmt::format("its kernel has a length of {}", kernel[i]));
    MovingWindow window{kernel[i], strides[i], dilations[i], pads[i], pads[i + axes]};
    if (automatic == "VALID") window.padding_low = window.padding_high = 0;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      const std::int64_t length = std::max<std::int64_t>(lengths[i], 0);
      const std::int64_t count = (length + window.stride - 1) / window.stride;
      const std::int64_t total =
          std::max<std::int64_t>(0, (count - 1) * window.stride + window.reach() - length);
      window.padding_low = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      window.padding_high = total - window.padding_low;
    }
    windows.push_back(window);
  }
  return windows;
}

std::int64_t positions(const MovingWindow& window, std::int64_t length, bool rounded_up) {
  if (length == unknown_length) return unknown_length;
  const std::int64_t padded = length + window.padding_low + window.padding_high;
  const std::int64_t room = padded - window.reach();
  if (room < 0)
    throw NodeProblem(
        fmt::format("its window reaches over {} elements of an axis that has {}, padding included",
                    window.reach(), padded));
  if (!rounded_up) return room / window.stride + 1;
  const std::int64_t count = (room + window.stride - 1) / window.stride + 1;
  // A window that begins in the padding behind the image is none.
  return (count - 1) * window.stride >= length + window.padding_low ? count - 1 : count;
}

Shape spatial_lengths(const Shape& image) {
  if (image.size() < 2)
    throw NodeProblem(fmt::format("its input has {} axes, expected are 3 or more", image.size()));
  return {image.begin() + 2, image.end()};
}

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
