#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {
namespace {

/// A network as quantisers write it: every tensor that is stored passes QuantizeLinear and
/// DequantizeLinear, and weights are bytes behind a DequantizeLinear.
class QuantisedCnn {
 public:
  onnx::ModelProto make() {
    std::string x = stored("image", graph_.input("image", {1, 3, 32, 32}));
    x = conv("conv1", x, 3, 32, {3, 1, 1});
    x = conv("conv2", x, 32, 64, {3, 2, 1});
    x = conv("conv3", x, 64, 64, {3, 1, 1});
    x = stored("pool", graph_.apply("GlobalAveragePool", "pool", {x}));
    x = graph_.apply("Flatten", "flatten", {x});
    return graph_.finish(graph_.apply("MatMul", "classifier", {x, weight("classifier", {64, 10})}));
  }

 private:
  std::string stored(const std::string& name, const std::string& x) {
    const std::string scale = graph_.constant(name + ".scale", 0.05F);
    const std::string bytes = graph_.apply("QuantizeLinear", name + "/quantise", {x, scale});
    return graph_.apply("DequantizeLinear", name + "/dequantise", {bytes, scale});
  }

  std::string weight(const std::string& name, const Shape& shape) {
    const std::string bytes = graph_.weight(name + ".weight", shape, onnx::TensorProto::INT8);
    const std::string scale = graph_.constant(name + ".weight.scale", 0.01F);
    return graph_.apply("DequantizeLinear", name + ".weight/dequantise", {bytes, scale});
  }

  std::string conv(const std::string& name, const std::string& x, std::int64_t input_channels,
                   std::int64_t output_channels, const Window& window) {
    const std::string weights =
        weight(name, {output_channels, input_channels, window.kernel, window.kernel});
    const std::string sums = graph_.conv_of(name, x, weights, window);
    return stored(name, graph_.apply("Relu", name + "/relu", {sums}));
  }

  GraphBuilder graph_{"quantised_cnn"};
};

}  // namespace

onnx::ModelProto make_quantised_cnn() { return QuantisedCnn().make(); }

}  // namespace zz::models
