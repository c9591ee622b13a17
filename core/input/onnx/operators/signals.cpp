#include <algorithm>
#include <fmt/format.h>

#include "core/input/onnx/operators/operator.hpp"

// Spectra of signals, and samples of distributions.
namespace zz::core::onnx_import {
namespace {

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
          {standard_domain, "MelWeightMatrix", Operator::Work::none, infer_mel_weights},
          {standard_domain, "Multinomial", vector, infer_multinomial}};
}

}  // namespace zz::core::onnx_import
