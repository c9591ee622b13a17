#include "core/input/stream/stream_onnx_elementwise.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/input/onnx/onnx_node_problem.hpp"
#include "core/input/onnx/onnx_operands.hpp"
#include "core/input/onnx/onnx_window.hpp"
#include "core/text/letter_case.hpp"

namespace zz::core::onnx_import {
namespace {

constexpr std::int64_t pooling_precision = 8;

bool is_global(const std::string& type) { return type.rfind("Global", 0) == 0; }

Shape kernel_of(const StreamNode& node, const Shape& input) {
  const std::size_t axes = input.size() - 2;
  if (is_global(node.type())) return {input.begin() + 2, input.end()};
  if (const auto given = given_kernel_shape(node.proto(), axes)) return *given;
  throw NodeProblem("the attribute 'kernel_shape' is missing", "add the attribute 'kernel_shape'");
}

void check_ports(const onnx::NodeProto& node, int inputs) {
  if (node.input_size() < inputs || node.output_size() < 1)
    throw NodeProblem("inputs or the output are missing");
}

/// "[b][k][oy][ox]".
std::string brackets(const std::vector<std::string>& dimensions) {
  std::string text;
  for (const std::string& dimension : dimensions) text += "[" + lower_case(dimension) + "]";
  return text;
}

}  // namespace

Layer make_stream_pooling_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  check_ports(node.proto(), 1);
  const Shape input = shapes.require(node.proto().input(0));
  const Shape output = shapes.require(node.proto().output(0));
  check_image_shapes(input, output);
  const Windows windows(node.proto(), input, output, kernel_of(node, input));
  WindowAxis x = windows.axis(windows.axis_count() - 1), y;
  if (windows.axis_count() == 2) y = windows.axis(0);
  if (rules.window_axes_exchanged && windows.axis_count() == 2) std::swap(x, y);

  Layer layer;
  layer.id = node.node.id;
  layer.name = node.node.name;
  layer.type = "pooling";
  layer.equation = "O[b][k][oy][ox] = W[fy][fx] * I[b][k][iy][ix]";
  layer.loops = {{"B", output[0]}, {"K", output[1]}, {"OX", x.output}, {"OY", y.output}};
  if (rules.pooling_repeated_by_channel) layer.loops.push_back({"C", input[1]});
  layer.loops.push_back({"FX", x.kernel});
  layer.loops.push_back({"FY", y.kernel});
  layer.relations = window_relations(x, y);
  layer.operands = {{"O", {"B", "K", "OY", "OX"}, pooling_precision, false, {}},
                    {"W", {"FY", "FX"}, 0, false, {}},
                    {"I", {"B", "K", "IY", "IX"}, pooling_precision, false, {}}};
  layer.final_output_precision = pooling_precision;
  if (!rules.padding_is_data) set_automatic_padding(layer, node.proto());
  connect(layer, {{"I", node.producer(0)}, {"W", StreamNode::no_producer}});
  check_mac_count(layer);
  return layer;
}

Layer make_stream_simd_layer(const StreamNode& node, const TensorShapes& shapes, const Rules& rules) {
  check_ports(node.proto(), 2);
  const Shape output = shapes.require(node.proto().output(0));
  const Precisions precisions = read_precisions(node.node);
  std::vector<std::string> loops = {"OX", "OY"};
  if (output.size() == 1) loops = {"OX"};
  if (output.size() >= 3) loops.insert(loops.begin(), "B");
  if (output.size() == 4) loops.insert(loops.begin() + 1, "K");

  Layer layer;
  layer.id = node.node.id;
  layer.name = node.node.name;
  layer.type = lower_case(node.type());
  for (std::size_t axis = 0; axis < loops.size(); ++axis)
    layer.loops.push_back({loops[axis], output[axis]});
  if (!rules.window_axes_exchanged && output.size() >= 2)
    std::swap(layer.loops[loops.size() - 2].size, layer.loops[loops.size() - 1].size);

  std::vector<std::string> dimensions = loops;
  if (output.size() >= 2) std::swap(dimensions[loops.size() - 2], dimensions[loops.size() - 1]);
  layer.equation = fmt::format("O{0} = I{0} * W{0}", brackets(dimensions));
  layer.operands = {{"O", dimensions, precisions.partial_sum, false, {}},
                    {"I", dimensions, precisions.activation, false, {}},
                    {"W", dimensions, precisions.weight, false, {}}};
  layer.final_output_precision = precisions.activation;

  const std::vector<std::int64_t> sources = node.predecessors();
  if (sources.size() >= 2) {
    connect(layer, {{"W", sources[0]}, {"I", sources[1]}});
  } else if (sources.size() == 1 || !rules.unfed_operands_lost) {
    connect(layer, {{"W", StreamNode::no_producer},
                    {"I", sources.empty() ? StreamNode::no_producer : sources[0]}});
  } else {
    connect(layer, {{"W", StreamNode::no_producer}});
  }
  check_mac_count(layer);
  return layer;
}

}  // namespace zz::core::onnx_import
