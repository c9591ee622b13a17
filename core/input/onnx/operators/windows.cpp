#include "core/input/onnx/operators/windows.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/workload/layer_limits.hpp"

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

}  // namespace zz::core::onnx_import
