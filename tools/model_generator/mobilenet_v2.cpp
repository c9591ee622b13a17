#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {
namespace {

/// Blocks of equal shape: expansion of the channels, output channels, how many, stride of the first.
struct Stage {
  std::int64_t expansion, output_channels;
  int blocks;
  std::int64_t stride;
};

constexpr Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

class Network {
 public:
  onnx::ModelProto make() {
    zero_ = graph_.constant("relu6.min", 0.0F);
    six_ = graph_.constant("relu6.max", 6.0F);
    std::string x = graph_.input("image", {1, 3, 224, 224});
    x = conv_relu6("stem", x, 3, 32, {3, 2, 1});
    std::int64_t channels = 32;
    int number = 0;
    for (const Stage& stage : stages) {
      for (int block = 0; block < stage.blocks; ++block) {
        x = inverted_residual("block" + std::to_string(++number), x, channels, stage,
                              block == 0 ? stage.stride : 1);
        channels = stage.output_channels;
      }
    }
    x = conv_relu6("head", x, channels, 1280, {1, 1, 0});
    x = graph_.apply("GlobalAveragePool", "pool", {x});
    x = graph_.apply("Flatten", "flatten", {x});
    return graph_.finish(graph_.fully_connected("classifier", x, 1280, 1000));
  }

 private:
  std::string conv_relu6(const std::string& name, const std::string& input, std::int64_t input_channels,
                         std::int64_t output_channels, const Window& window, std::int64_t group = 1) {
    const std::string sum = graph_.conv(name, input, input_channels, output_channels, window, group);
    return graph_.apply("Clip", name + "/relu6", {sum, zero_, six_});
  }

  // Widen, filter every channel by itself, narrow; what goes in is added where the shape allows.
  std::string inverted_residual(const std::string& name, const std::string& input, std::int64_t channels,
                                const Stage& stage, std::int64_t stride) {
    const std::int64_t wide = channels * stage.expansion;
    std::string x = input;
    if (stage.expansion != 1) x = conv_relu6(name + "/expand", x, channels, wide, {1, 1, 0});
    x = conv_relu6(name + "/depthwise", x, wide, wide, {3, stride, 1}, wide);
    x = graph_.conv(name + "/project", x, wide, stage.output_channels, {1, 1, 0});
    if (stride != 1 || channels != stage.output_channels) return x;
    return graph_.apply("Add", name + "/add", {x, input});
  }

  GraphBuilder graph_{"mobilenet_v2"};
  std::string zero_, six_;
};

}  // namespace

onnx::ModelProto make_mobilenet_v2() { return Network().make(); }

}  // namespace zz::models
