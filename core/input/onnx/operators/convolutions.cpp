#include <fmt/format.h>

#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Convolutions of one to three dimensions, transposed and deformable ones.
namespace zz::core::onnx_import {
namespace {

std::size_t weight_input(const OperatorNode& node) { return node.op_type() == "QLinearConv" ? 3 : 1; }

std::int64_t group_count(const OperatorNode& node) {
  const std::int64_t groups = node.attributes().integer("group", 1);
  if (groups < 1) throw below_smallest("group", groups, 1);
  return groups;
}

void check_spatial_axes(const Shape& image) {
  if (image.size() < 3 || image.size() > 5)
    throw NodeProblem(
        fmt::format("its tensors have {} axes; convolutions of one to three dimensions are "
                    "supported (3 to 5 axes)",
                    image.size()));
}

/// Throws NodeProblem where the weights do not fit the image.
ChannelsOfGroups channels_of(const OperatorNode& node, const Shape& image, const Shape& weights,
                             bool transposed) {
  check_spatial_axes(image);
  if (weights.size() != image.size())
    throw NodeProblem(
        fmt::format("its input has {} axes and its weights {}", image.size(), weights.size()));
  ChannelsOfGroups channels;
  channels.groups = group_count(node);
  if (image[1] == unknown_length) return channels;
  if (image[1] % channels.groups != 0 || weights[0] % channels.groups != 0)
    throw NodeProblem(
        fmt::format("{} input channels and {} of its weights cannot be divided into {} groups", image[1],
                    weights[0], channels.groups));
  channels.inputs_of_group = image[1] / channels.groups;
  channels.outputs_of_group = transposed ? weights[1] : weights[0] / channels.groups;
  const std::int64_t expected = transposed ? weights[0] : weights[1] * channels.groups;
  if (image[1] != expected)
    throw NodeProblem(fmt::format("its input has {} channels, its weights are for {}", image[1], expected));
  return channels;
}

ElementType convolved_type(const OperatorNode& node) {
  if (node.op_type() == "ConvInteger") return ElementType::int32;
  if (node.op_type() == "QLinearConv")
    return node.type(7) != ElementType::unknown ? node.type(7) : node.type(0);
  return node.type(0);
}

void infer_convolution(const OperatorNode& node) {
  const std::size_t weight = weight_input(node);
  const Shape* const given = node.shape(0);
  const Shape* const weights = node.shape(weight);
  if (given == nullptr || weights == nullptr || !node.input(weight).has_full_shape())
    return node.set(0, convolved_type(node), std::nullopt);
  const Shape image = channels_first(node, *given);
  channels_of(node, image, *weights, false);
  const auto windows = moving_windows(node, spatial_lengths(image), spatial_lengths(*weights));
  Shape shape{image[0], (*weights)[0]};
  for (std::size_t i = 0; i < windows.size(); ++i) shape.push_back(positions(windows[i], image[i + 2]));
  node.set(0, convolved_type(node), channels_as_stored(node, std::move(shape)));
}

std::vector<Product> convolution_products(const OperatorNode& node) {
  const std::size_t weight = weight_input(node);
  const Shape image = channels_first(node, node.full_shape(0));
  const Shape output = channels_first(node, node.full_output_shape(0));
  const Shape& weights = node.full_shape(weight);
  const ChannelsOfGroups channels = channels_of(node, image, weights, false);
  const Shape lengths = spatial_lengths(image);
  Product product = convolution_nest(image[0], channels, lengths, spatial_lengths(output),
                                     moving_windows(node, lengths, spatial_lengths(weights)));
  product.input.input = 0;
  product.weight.input = static_cast<int>(weight);
  // The first axis has the channels of all groups.
  const bool one_group = channels.groups == 1;
  product.weight.loop_of_axis = {one_group ? "K" : channels.outputs_of_group == 1 ? "G" : "", "C"};
  product.weight.loop_of_axis.resize(weights.size());
  return {std::move(product)};
}

// ConvTranspose: weights are [C, K of a group, kernel...].
void infer_transposed(const OperatorNode& node) {
  const Shape* const image = node.shape(0);
  const Shape* const weights = node.shape(1);
  if (image == nullptr || weights == nullptr || !node.input(1).has_full_shape())
    return node.set(0, node.type(0), std::nullopt);
  const ChannelsOfGroups channels = channels_of(node, *image, *weights, true);
  const Shape lengths = spatial_lengths(*image);
  const auto windows = moving_windows(node, lengths, spatial_lengths(*weights));
  const auto extra = node.attributes().integers("output_padding");
  const auto fixed = node.attributes().integers("output_shape");
  const bool same = node.attributes().text("auto_pad", "NOTSET").rfind("SAME", 0) == 0;
  if (extra && extra->size() != windows.size())
    throw NodeProblem(fmt::format("the attribute 'output_padding' has {} values, expected {}",
                                  extra->size(), windows.size()));
  if (fixed && fixed->size() < windows.size())
    throw NodeProblem(fmt::format("the attribute 'output_shape' has {} values, expected {}", fixed->size(),
                                  windows.size()));
  Shape shape{(*image)[0], channels.outputs_of_group * channels.groups};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const MovingWindow& window = windows[i];
    if (fixed) {
      shape.push_back((*fixed)[fixed->size() - windows.size() + i]);
    } else if (lengths[i] == unknown_length) {
      shape.push_back(unknown_length);
    } else if (same) {
      shape.push_back(lengths[i] * window.stride);
    } else {
      shape.push_back((lengths[i] - 1) * window.stride + window.reach() + (extra ? (*extra)[i] : 0) -
                      window.padding_low - window.padding_high);
    }
    if (shape.back() < unknown_length)
      throw NodeProblem(fmt::format("it makes an axis of length {}", shape.back()));
  }
  node.set(0, node.type(0), std::move(shape));
}

/// Neighbouring outputs that the same number of filter elements reaches, on one axis.
struct Phases {
  std::int64_t count, taps;
};

std::vector<Phases> phases_of(const MovingWindow& window) {
  const std::int64_t longer = window.kernel % window.stride, taps = window.kernel / window.stride;
  std::vector<Phases> phases;
  if (longer > 0) phases.push_back({longer, taps + 1});
  if (taps > 0) phases.push_back({window.stride - longer, taps});
  return phases;
}

// Stride s makes s outputs of each input, and each of these is a convolution of the input with every s-th
// filter element. Those with equally many elements are output channels of one layer, which is the
// sub-pixel convolution of Shi et al. (CVPR 2016); its multiply-accumulates are those that have to be done,
// without the zeros between the inputs.
std::vector<Product> transposed_products(const OperatorNode& node) {
  const Shape& image = node.full_shape(0);
  const Shape& weights = node.full_shape(1);
  const ChannelsOfGroups channels = channels_of(node, image, weights, true);
  const Shape lengths = spatial_lengths(image);
  const auto windows = moving_windows(node, lengths, spatial_lengths(weights));
  std::vector<std::vector<Phases>> combinations{{}};
  for (const MovingWindow& window : windows) {
    std::vector<std::vector<Phases>> longer;
    for (const auto& combination : combinations) {
      for (const Phases& phases : phases_of(window)) {
        longer.push_back(combination);
        longer.back().push_back(phases);
      }
    }
    combinations = std::move(longer);
  }
  std::vector<Product> products;
  for (const auto& combination : combinations) {
    ChannelsOfGroups outputs = channels;
    std::vector<MovingWindow> taps;
    for (std::size_t i = 0; i < combination.size(); ++i) {
      outputs.outputs_of_group *= combination[i].count;
      MovingWindow window{combination[i].taps, 1, windows[i].dilation, 0, 0};
      window.padding_low = window.padding_high = 0;
      const std::int64_t around = window.reach() - 1;
      window.padding_low = around / 2;
      window.padding_high = around - around / 2;
      taps.push_back(window);
    }
    Product product = convolution_nest(image[0], outputs, lengths, lengths, taps);
    product.input.input = 0;
    product.weight.input = 1;
    if (combinations.size() > 1) product.suffix = fmt::format("/phase{}", products.size());
    products.push_back(std::move(product));
  }
  return products;
}

// CausalConvWithState: each channel by itself, looking back along the last axis. What it looks back on
// comes from the step before, so that no output is lost at the front.

/// Channels behind the batch, and what follows them as one axis of channels where they come last.
Shape causal_image(const OperatorNode& node, const Shape& image) {
  if (node.attributes().integer("channels_last", 0) == 0) return image;
  if (image.size() < 3)
    throw NodeProblem(fmt::format("its input has {} axes, expected are 3", image.size()));
  return {image[0], element_count(Shape(image.begin() + 2, image.end())), image[1]};
}

/// Positions before the first of a step that it looks at.
std::int64_t looked_back(const OperatorNode& node, const Shape& weights) {
  return (weights.back() - 1) * node.attributes().integer("dilation", 1);
}

void infer_causal(const OperatorNode& node) {
  node.set(0, node.type(0), node.shape_if_known(0));
  std::optional<Shape> state = node.shape_if_known(0);
  const Shape* const weights = node.shape(1);
  if (state && state->size() >= 3 && weights != nullptr && !weights->empty()) {
    const bool last = node.attributes().integer("channels_last", 0) != 0;
    (last ? (*state)[1] : state->back()) =
        weights->back() == unknown_length ? unknown_length : looked_back(node, *weights);
  } else {
    state.reset();
  }
  node.set(1, node.type(0), std::move(state));
}

std::vector<Product> causal_products(const OperatorNode& node) {
  const Shape image = causal_image(node, node.full_shape(0));
  const Shape& weights = node.full_shape(1);
  check_spatial_axes(image);
  if (weights.size() != image.size() || weights[0] != image[1])
    throw NodeProblem(fmt::format("its input has {} channels and {} axes, its weights {} and {}", image[1],
                                  image.size(), weights[0], weights.size()));
  std::vector<MovingWindow> windows;
  for (const std::int64_t kernel : spatial_lengths(weights))
    windows.push_back({kernel, 1, 1, (kernel - 1) / 2, kernel / 2});
  windows.back().dilation = node.attributes().integer("dilation", 1);
  windows.back().padding_low = looked_back(node, weights);
  windows.back().padding_high = 0;
  const Shape lengths = spatial_lengths(image);
  Product product = convolution_nest(image[0], {image[1], 1, 1}, lengths, lengths, windows);
  product.input.input = 0;
  product.weight.input = 1;
  return {std::move(product)};
}

}  // namespace

std::vector<Operator> convolution_operators() {
  constexpr auto products = Operator::Work::products;
  return {{standard_domain, "Conv", products, infer_convolution, convolution_products},
          {standard_domain, "ConvInteger", products, infer_convolution, convolution_products},
          {standard_domain, "QLinearConv", products, infer_convolution, convolution_products},
          {standard_domain, "DeformConv", products, infer_convolution, convolution_products},
          {standard_domain, "ConvTranspose", products, infer_transposed, transposed_products},
          {microsoft_domain, "QLinearConv", products, infer_convolution, convolution_products},
          {microsoft_domain, "FusedConv", products, infer_convolution, convolution_products},
          {standard_domain, "CausalConvWithState", products, infer_causal, causal_products},
          {microsoft_domain, "CausalConvWithState", products, infer_causal, causal_products},
          {microsoft_domain, "NhwcConv", products, infer_convolution, convolution_products},
          {microsoft_domain, "NhwcFusedConv", products, infer_convolution, convolution_products}};
}

}  // namespace zz::core::onnx_import
