#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Operators on images without products: pooling, resizing, regions.
namespace zz::core::onnx_import {
namespace {

void infer_pooling(const OperatorNode& node) {
  if (node.shape(0) == nullptr) return node.set(0, node.type(0), std::nullopt);
  const Shape image = channels_first(node, *node.shape(0));
  const auto kernel = node.attributes().integers("kernel_shape");
  if (!kernel) throw NodeProblem("the attribute 'kernel_shape' is missing");
  const bool up = node.attributes().integer("ceil_mode", 0) != 0;
  const auto windows = moving_windows(node, spatial_lengths(image), *kernel);
  const std::string automatic = node.attributes().text("auto_pad", "NOTSET");
  Shape shape(image.begin(), image.begin() + 2);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::int64_t length = image[i + 2];
    shape.push_back(automatic.rfind("SAME", 0) == 0 && length != unknown_length
                        ? (length + windows[i].stride - 1) / windows[i].stride
                        : positions(windows[i], length, up));
  }
  shape = channels_as_stored(node, std::move(shape));
  node.set(0, node.type(0), shape);
  node.set(1, ElementType::int64, shape);
}

void infer_global_pooling(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  if (shape)
    for (std::size_t i = 2; i < shape->size(); ++i) (*shape)[i] = 1;
  node.set(0, node.type(0), shape);
}

void infer_max_unpool(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  if (node.has_input(2)) {
    const auto* const lengths = node.integers(2);
    return node.set(0, node.type(0), lengths != nullptr ? *lengths : Shape(input->size(), unknown_length));
  }
  const auto kernel = node.attributes().integers("kernel_shape");
  if (!kernel) throw NodeProblem("the attribute 'kernel_shape' is missing");
  const auto windows = moving_windows(node, spatial_lengths(*input), *kernel);
  Shape shape((*input).begin(), (*input).begin() + 2);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::int64_t length = (*input)[i + 2];
    shape.push_back(length == unknown_length ? length
                                             : (length - 1) * windows[i].stride + windows[i].kernel -
                                                   windows[i].padding_low - windows[i].padding_high);
  }
  node.set(0, node.type(0), shape);
}

// Resize: lengths or scales. Upsample and Resize of operator set 10 have the scales as second input.
void infer_resize(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  const bool four_inputs = node.op_type() == "Resize" && node.operator_set() >= 11;
  const std::size_t scales_at = four_inputs ? 2 : 1;
  std::vector<std::size_t> axes;
  if (const auto given = node.attributes().integers("axes")) {
    axes = axes_from_front(*given, input->size());
  } else {
    for (std::size_t i = 0; i < input->size(); ++i) axes.push_back(i);
  }
  Shape shape = *input;
  const auto unknown = [&] {
    for (const std::size_t axis : axes) shape[axis] = unknown_length;
    node.set(0, node.type(0), shape);
    node.unknown_because("the size of its result depends on data");
  };
  if (four_inputs && node.has_input(3)) {
    const auto* const lengths = node.integers(3);
    if (lengths == nullptr) return unknown();
    if (lengths->size() != axes.size())
      throw NodeProblem(fmt::format("it has {} lengths for {} axes", lengths->size(), axes.size()));
    const std::string policy = node.attributes().text("keep_aspect_ratio_policy", "stretch");
    double scale = 0;
    for (std::size_t i = 0; i < axes.size() && policy != "stretch"; ++i) {
      const double own = static_cast<double>((*lengths)[i]) / static_cast<double>((*input)[axes[i]]);
      scale = i == 0 ? own : policy == "not_larger" ? std::min(scale, own) : std::max(scale, own);
    }
    for (std::size_t i = 0; i < axes.size(); ++i)
      shape[axes[i]] = policy == "stretch" ? (*lengths)[i]
                                           : std::llround(scale * static_cast<double>((*input)[axes[i]]));
    return node.set(0, node.type(0), shape);
  }
  std::vector<double> scales;
  if (node.has_input(scales_at)) {
    const auto* const given = node.numbers(scales_at);
    if (given == nullptr) return unknown();
    scales = *given;
  } else if (const auto* attribute = node.attributes().find("scales")) {
    scales.assign(attribute->floats().begin(), attribute->floats().end());
  } else {
    return unknown();
  }
  if (scales.size() != axes.size())
    throw NodeProblem(fmt::format("it has {} scales for {} axes", scales.size(), axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& length = shape[axes[i]];
    if (length == unknown_length) continue;
    // Scales are single-precision numbers, and the runtime multiplies in that precision.
    const float scaled = static_cast<float>(scales[i]) * static_cast<float>(length);
    if (!(scaled >= 0 && scaled < 1e15F))
      throw NodeProblem(fmt::format("its scale {} is impossible", scales[i]));
    length = static_cast<std::int64_t>(std::floor(scaled));
  }
  node.set(0, node.type(0), shape);
}

// GridSample: batch and channels of the image, the other lengths of the grid.
void infer_grid_sample(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const Shape* const grid = node.shape(1);
  if (input == nullptr || grid == nullptr || input->size() < 2 || grid->size() < 2)
    return node.set(0, node.type(0), std::nullopt);
  Shape shape(input->begin(), input->begin() + 2);
  shape.insert(shape.end(), grid->begin() + 1, grid->end() - 1);
  node.set(0, node.type(0), std::move(shape));
}

void infer_affine_grid(const OperatorNode& node) {
  const auto* const size = node.integers(1);
  if (size == nullptr || size->size() < 3) return node.set(0, node.type(0), std::nullopt);
  Shape shape{size->front()};
  shape.insert(shape.end(), size->begin() + 2, size->end());
  shape.push_back(static_cast<std::int64_t>(size->size()) - 2);
  node.set(0, node.type(0), std::move(shape));
}

void infer_region_align(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const Shape* const regions = node.shape(1);
  if (input == nullptr || regions == nullptr || input->size() != 4 || regions->empty())
    return node.set(0, node.type(0), std::nullopt);
  node.set(0, node.type(0),
           Shape{regions->front(), (*input)[1], node.attributes().integer("output_height", 1),
                 node.attributes().integer("output_width", 1)});
}

void infer_max_region_pool(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const Shape* const regions = node.shape(1);
  const auto pooled = node.attributes().integers("pooled_shape");
  if (input == nullptr || regions == nullptr || input->size() != 4 || regions->empty() || !pooled ||
      pooled->size() != 2)
    return node.set(0, node.type(0), std::nullopt);
  node.set(0, node.type(0), Shape{regions->front(), (*input)[1], (*pooled)[0], (*pooled)[1]});
}

void infer_non_max_suppression(const OperatorNode& node) {
  node.set(0, ElementType::int64, Shape{unknown_length, 3});
  node.unknown_because("how many boxes remain is known at run time only");
}

void infer_column_to_image(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  const auto* const image = node.integers(1);
  const auto* const block = node.integers(2);
  if (input == nullptr || image == nullptr || block == nullptr || input->size() != 3)
    return node.set(0, node.type(0), std::nullopt);
  const std::int64_t area = element_count(*block);
  if (area < 1) throw NodeProblem("its block has no elements");
  Shape shape{(*input)[0], (*input)[1] == unknown_length ? unknown_length : (*input)[1] / area};
  shape.insert(shape.end(), image->begin(), image->end());
  node.set(0, node.type(0), std::move(shape));
}

void infer_center_crop(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr) return node.set(0, node.type(0), std::nullopt);
  Shape shape = *input;
  std::vector<std::size_t> axes;
  if (const auto given = node.attributes().integers("axes"))
    axes = axes_from_front(*given, shape.size());
  else
    for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(i);
  const auto* const lengths = node.integers(1);
  for (std::size_t i = 0; i < axes.size(); ++i)
    shape[axes[i]] = lengths != nullptr && i < lengths->size() ? (*lengths)[i] : unknown_length;
  node.set(0, node.type(0), std::move(shape));
}

}  // namespace

std::vector<Operator> image_operators() {
  constexpr auto vector = Operator::Work::vector;
  return {{standard_domain, "MaxPool", vector, infer_pooling},
          {standard_domain, "AveragePool", vector, infer_pooling},
          {standard_domain, "LpPool", vector, infer_pooling},
          {standard_domain, "GlobalMaxPool", vector, infer_global_pooling},
          {standard_domain, "GlobalAveragePool", vector, infer_global_pooling},
          {standard_domain, "GlobalLpPool", vector, infer_global_pooling},
          {standard_domain, "MaxUnpool", vector, infer_max_unpool},
          {standard_domain, "Resize", vector, infer_resize},
          {standard_domain, "Upsample", vector, infer_resize},
          {standard_domain, "GridSample", vector, infer_grid_sample},
          {standard_domain, "AffineGrid", vector, infer_affine_grid},
          {standard_domain, "RoiAlign", vector, infer_region_align},
          {standard_domain, "MaxRoiPool", vector, infer_max_region_pool},
          {standard_domain, "NonMaxSuppression", vector, infer_non_max_suppression},
          {standard_domain, "Col2Im", vector, infer_column_to_image},
          {standard_domain, "CenterCropPad", Operator::Work::rearrangement, infer_center_crop},
          {microsoft_domain, "GridSample", vector, infer_grid_sample},
          {microsoft_domain, "MaxpoolWithMask", vector, infer_pooling},
          {microsoft_domain, "QLinearAveragePool", vector, infer_pooling},
          {microsoft_domain, "NhwcMaxPool", vector, infer_pooling}};
}

namespace {

// Spectra of signals, and samples of distributions.

/// The one integer that an input holds, or unknown_length.
std::int64_t single_integer(const OperatorNode& node, std::size_t input) {
  const auto* const values = node.integers(input);
  return values != nullptr && !values->empty() ? values->front() : unknown_length;
}

std::int64_t one_side(std::int64_t length) { return length == unknown_length ? length : length / 2 + 1; }

// DFT: signals with real or complex elements in the last axis. The axis is an input since operator set 20.
void infer_spectrum(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr || input->size() < 2) return node.set(0, node.type(0), std::nullopt);
  std::int64_t axis = node.attributes().integer("axis", node.operator_set() >= 20 ? -2 : 1);
  if (node.has_input(2)) {
    axis = single_integer(node, 2);
    if (node.integers(2) == nullptr) return node.set(0, node.type(0), Shape(input->size(), unknown_length));
  }
  Shape shape = *input;
  const bool one_sided = node.attributes().integer("onesided", 0) != 0;
  const bool inverse = node.attributes().integer("inverse", 0) != 0;
  std::int64_t& length = shape[axis_from_front(axis, shape.size())];
  if (node.has_input(1))
    length = single_integer(node, 1);
  else if (one_sided && inverse && length != unknown_length)
    length = std::max<std::int64_t>(2 * (length - 1), 0);
  if (one_sided && !inverse) length = one_side(length);
  shape.back() = one_sided && inverse ? 1 : 2;
  node.set(0, node.type(0), std::move(shape));
}

// Rfft: a real signal; its result has pairs in a last axis, and half of the one before.
void infer_real_spectrum(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  if (shape && !shape->empty()) {
    if (node.attributes().integer("onesided", 1) != 0) shape->back() = one_side(shape->back());
    shape->push_back(2);
  }
  node.set(0, node.type(0), std::move(shape));
}

// Irfft: the way back.
void infer_real_signal(const OperatorNode& node) {
  std::optional<Shape> shape = node.shape_if_known(0);
  if (shape && shape->size() >= 2) {
    shape->pop_back();
    if (node.attributes().integer("onesided", 1) != 0 && shape->back() != unknown_length)
      shape->back() = std::max<std::int64_t>(2 * (shape->back() - 1), 0);
  }
  node.set(0, node.type(0), std::move(shape));
}

// STFT: signal, step between frames, window, length of a frame.
void infer_spectrogram(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  if (input == nullptr || input->size() < 2) return node.set(0, node.type(0), std::nullopt);
  const std::int64_t step = single_integer(node, 1);
  std::int64_t frame = single_integer(node, 3);
  if (!node.has_input(3) && node.shape(2) != nullptr && node.shape(2)->size() == 1)
    frame = node.shape(2)->front();
  const std::int64_t length = (*input)[1];
  std::int64_t frames = unknown_length;
  if (step != unknown_length && frame != unknown_length && length != unknown_length) {
    if (step < 1 || frame < 1 || frame > length)
      throw NodeProblem(
          fmt::format("it cuts frames of {} elements every {} from a signal of {}", frame, step, length));
    frames = (length - frame) / step + 1;
  }
  const bool one_sided = node.attributes().integer("onesided", 1) != 0;
  node.set(0, node.type(0), Shape{(*input)[0], frames, one_sided ? one_side(frame) : frame, 2});
}

// MelWeightMatrix: bins of the result, length of the spectrum, ...
void infer_mel_weights(const OperatorNode& node) {
  node.set(0, element_type(node.attributes().integer("output_datatype", 1)),
           Shape{one_side(single_integer(node, 1)), single_integer(node, 0)});
}

void infer_multinomial(const OperatorNode& node) {
  const Shape* const input = node.shape(0);
  node.set(0, element_type(node.attributes().integer("dtype", 6)),
           Shape{input != nullptr && !input->empty() ? input->front() : unknown_length,
                 node.attributes().integer("sample_size", 1)});
}

}  // namespace

std::vector<Operator> signal_operators() {
  constexpr auto vector = Operator::Work::vector;
  return {{standard_domain, "DFT", vector, infer_spectrum},
          {standard_domain, "STFT", vector, infer_spectrogram},
          {microsoft_domain, "Rfft", vector, infer_real_spectrum},
          {microsoft_domain, "Irfft", vector, infer_real_signal},
          {standard_domain, "MelWeightMatrix", Operator::Work::none, infer_mel_weights},
          {standard_domain, "Multinomial", vector, infer_multinomial}};
}

}  // namespace zz::core::onnx_import
