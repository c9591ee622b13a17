#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {
namespace {

/// Two 3 x 3 convolutions and a shortcut around them, which needs a 1 x 1 convolution where the number of
/// channels or the resolution changes.
std::string basic_block(GraphBuilder& graph, const std::string& name, const std::string& input,
                        std::int64_t input_channels, std::int64_t output_channels, std::int64_t stride) {
  const std::string first =
      graph.conv(name + "/conv1", input, input_channels, output_channels, {3, stride, 1});
  const std::string middle = graph.apply("Relu", name + "/relu1", {first});
  const std::string second =
      graph.conv(name + "/conv2", middle, output_channels, output_channels, {3, 1, 1});
  std::string shortcut = input;
  if (stride != 1 || input_channels != output_channels) {
    shortcut = graph.conv(name + "/shortcut", input, input_channels, output_channels, {1, stride, 0});
  }
  const std::string sum = graph.apply("Add", name + "/add", {second, shortcut});
  return graph.apply("Relu", name + "/relu2", {sum});
}

}  // namespace

onnx::ModelProto make_resnet18() {
  GraphBuilder graph("resnet18");
  std::string x = graph.input("image", {1, 3, 224, 224});
  x = graph.apply("Relu", "stem/relu", {graph.conv("stem/conv", x, 3, 64, {7, 2, 3})});
  x = graph.max_pool("stem/pool", x, {3, 2, 1});
  std::int64_t channels = 64;
  for (int stage = 1; stage <= 4; ++stage) {
    const std::int64_t output_channels = std::int64_t{64} << (stage - 1);
    for (int block = 1; block <= 2; ++block) {
      const std::string name = "stage" + std::to_string(stage) + "/block" + std::to_string(block);
      x = basic_block(graph, name, x, channels, output_channels, stage > 1 && block == 1 ? 2 : 1);
      channels = output_channels;
    }
  }
  x = graph.apply("GlobalAveragePool", "pool", {x});
  x = graph.apply("Flatten", "flatten", {x});
  return graph.finish(graph.fully_connected("classifier", x, channels, 1000));
}

}  // namespace zz::models
