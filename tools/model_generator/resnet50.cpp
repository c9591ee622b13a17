#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {
namespace {

/// A 1 x 1, a 3 x 3 and a 1 x 1 convolution, the last one to four times as many channels, and a shortcut
/// around them, which needs a 1 x 1 convolution where the number of channels or the resolution changes.
std::string bottleneck(GraphBuilder& graph, const std::string& name, const std::string& input,
                       std::int64_t input_channels, std::int64_t channels, std::int64_t stride) {
  const std::int64_t output_channels = 4 * channels;
  std::string x = graph.conv(name + "/conv1", input, input_channels, channels, {1, 1, 0});
  x = graph.apply("Relu", name + "/relu1", {x});
  x = graph.conv(name + "/conv2", x, channels, channels, {3, stride, 1});
  x = graph.apply("Relu", name + "/relu2", {x});
  x = graph.conv(name + "/conv3", x, channels, output_channels, {1, 1, 0});
  std::string shortcut = input;
  if (stride != 1 || input_channels != output_channels)
    shortcut = graph.conv(name + "/shortcut", input, input_channels, output_channels, {1, stride, 0});
  return graph.apply("Relu", name + "/relu3", {graph.apply("Add", name + "/add", {x, shortcut})});
}

}  // namespace

onnx::ModelProto make_resnet50() {
  constexpr int blocks[] = {3, 4, 6, 3};
  GraphBuilder graph("resnet50");
  std::string x = graph.input("image", {1, 3, 224, 224});
  x = graph.apply("Relu", "stem/relu", {graph.conv("stem/conv", x, 3, 64, {7, 2, 3})});
  x = graph.max_pool("stem/pool", x, {3, 2, 1});
  std::int64_t input_channels = 64;
  for (int stage = 1; stage <= 4; ++stage) {
    const std::int64_t channels = std::int64_t{64} << (stage - 1);
    for (int block = 1; block <= blocks[stage - 1]; ++block) {
      const std::string name = "stage" + std::to_string(stage) + "/block" + std::to_string(block);
      x = bottleneck(graph, name, x, input_channels, channels, stage > 1 && block == 1 ? 2 : 1);
      input_channels = 4 * channels;
    }
  }
  x = graph.apply("GlobalAveragePool", "pool", {x});
  x = graph.apply("Flatten", "flatten", {x});
  return graph.finish(graph.fully_connected("classifier", x, input_channels, 1000));
}

}  // namespace zz::models
