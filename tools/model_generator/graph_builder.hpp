#pragma once
#include <cstdint>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace zz::models {

using Shape = std::vector<std::int64_t>;

/// Kernel, stride and padding of a square two-dimensional window.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

/// Writes the graph of one network, operator by operator. A tensor is named by the operator that produces
/// it; every operator takes the names of its inputs and returns the name of its output.
///
/// Weights become inputs of the graph without data: topology and shapes are all that an estimate needs, and
/// files stay small. Only what decides shapes (and bounds such as those of a clip) is stored.
class GraphBuilder {
 public:
  explicit GraphBuilder(const std::string& network);

  // `type` is a TensorProto.DataType.
  std::string input(const std::string& name, const Shape& shape, int type = onnx::TensorProto::FLOAT);
  std::string weight(const std::string& name, const Shape& shape, int type = onnx::TensorProto::FLOAT);
  /// An input whose lengths are numbers, or names of lengths that the file leaves open: {"batch", "64"}.
  std::string open_input(const std::string& name, const std::vector<std::string>& lengths, int type);
  std::string constant(const std::string& name, float value);
  std::string constant(const std::string& name, const Shape& values);

  /// Convolution with bias; `group` counts groups of channels.
  std::string conv(const std::string& name, const std::string& input, std::int64_t input_channels,
                   std::int64_t output_channels, const Window& window, std::int64_t group = 1);
  /// Convolution without bias, with weights that another operator gives.
  std::string conv_of(const std::string& name, const std::string& input, const std::string& weights,
                      const Window& window);
  std::string max_pool(const std::string& name, const std::string& input, const Window& window);
  /// Matrix product of a vector per image with a matrix of weights, plus bias.
  std::string fully_connected(const std::string& name, const std::string& input,
                              std::int64_t input_features, std::int64_t output_features);
  /// Product of the last axis with a matrix of weights, plus bias, on tensors of any rank.
  std::string linear(const std::string& name, const std::string& input, std::int64_t input_features,
                     std::int64_t output_features);
  std::string transpose(const std::string& name, const std::string& input, const Shape& permutation);
  std::string reshape(const std::string& name, const std::string& input, const Shape& shape);
  std::string softmax(const std::string& name, const std::string& input);
  /// Rows of `table` by the integers of `places`.
  std::string gather(const std::string& name, const std::string& table, const std::string& places);
  /// Divides the last axis by its length as a vector.
  std::string unit_length(const std::string& name, const std::string& input);
  /// GroupQueryAttention of com.microsoft with its rotary positions: the attention, and the new caches of
  /// keys and of values.
  std::vector<std::string> grouped_query_attention(const std::string& name,
                                                   const std::vector<std::string>& inputs,
                                                   std::int64_t query_heads, std::int64_t key_heads);
  std::string mean_of_last_axis(const std::string& name, const std::string& input);
  /// An operator without attributes.
  std::string apply(const std::string& type, const std::string& name,
                    const std::vector<std::string>& inputs);

  /// Declares another result of the network, besides that of finish(). Lengths as for open_input(); none
  /// where they can be inferred.
  void output(const std::string& name, int type, const std::vector<std::string>& lengths = {});

  /// Declares the network's result, infers all shapes and checks the model. Throws what the ONNX library
  /// throws when the network is not valid. The builder is empty afterwards.
  onnx::ModelProto finish(const std::string& result, int type = onnx::TensorProto::FLOAT,
                          const std::vector<std::string>& lengths = {});

 private:
  onnx::NodeProto& add(const std::string& type, const std::string& name,
                       const std::vector<std::string>& inputs);

  onnx::ModelProto model_;
};

}  // namespace zz::models
