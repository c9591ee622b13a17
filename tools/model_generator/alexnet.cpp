#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {

onnx::ModelProto make_alexnet() {
  GraphBuilder graph("alexnet");
  const auto conv_relu = [&](const std::string& name, const std::string& input, std::int64_t input_channels,
                             std::int64_t output_channels, const Window& window) {
    return graph.apply("Relu", name + "/relu",
                       {graph.conv(name, input, input_channels, output_channels, window)});
  };
  const Window pooling{3, 2, 0};
  const Window same{3, 1, 1};

  std::string x = graph.input("image", {1, 3, 224, 224});
  x = graph.max_pool("pool1", conv_relu("conv1", x, 3, 64, {11, 4, 2}), pooling);
  x = graph.max_pool("pool2", conv_relu("conv2", x, 64, 192, {5, 1, 2}), pooling);
  x = conv_relu("conv3", x, 192, 384, same);
  x = conv_relu("conv4", x, 384, 256, same);
  x = graph.max_pool("pool5", conv_relu("conv5", x, 256, 256, same), pooling);
  x = graph.apply("Flatten", "flatten", {x});
  x = graph.apply("Relu", "fc6/relu", {graph.fully_connected("fc6", x, 256 * 6 * 6, 4096)});
  x = graph.apply("Relu", "fc7/relu", {graph.fully_connected("fc7", x, 4096, 4096)});
  return graph.finish(graph.fully_connected("fc8", x, 4096, 1000));
}

}  // namespace zz::models
