#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {
namespace {

/// A decoder as generative-model builders write it for ONNX Runtime: one file for prefill and decode, whose
/// caches are inputs and outputs.
class Decoder {
 public:
  onnx::ModelProto make() {
    const std::string words =
        graph_.open_input("input_ids", {"batch", "sequence"}, onnx::TensorProto::INT64);
    key_lengths_ = graph_.open_input("seqlens_k", {"batch"}, onnx::TensorProto::INT32);
    total_length_ = graph_.input("total_sequence_length", {}, onnx::TensorProto::INT32);
    cosines_ = graph_.weight("cos_cache", {most_positions, head_features / 2}, numbers);
    sines_ = graph_.weight("sin_cache", {most_positions, head_features / 2}, numbers);
    std::string x =
        graph_.gather("embed", graph_.weight("embed.weight", {vocabulary, features}, numbers), words);
    for (int layer = 0; layer < layers; ++layer) {
      const std::string name = "layer" + std::to_string(layer);
      const std::string attended = attention(name + "/attention", normalised(name + "/norm1", x), layer);
      x = graph_.apply("Add", name + "/residual1", {x, attended});
      const std::string fed = feed_forward(name + "/feed_forward", normalised(name + "/norm2", x));
      x = graph_.apply("Add", name + "/residual2", {x, fed});
    }
    return graph_.finish(product("lm_head", normalised("norm", x), features, vocabulary), numbers,
                         {"batch", "sequence", std::to_string(vocabulary)});
  }

 private:
  static constexpr int layers = 2;
  static constexpr std::int64_t features = 256;
  static constexpr std::int64_t heads = 8;
  static constexpr std::int64_t key_heads = 2;
  static constexpr std::int64_t head_features = features / heads;
  static constexpr std::int64_t feed_forward_features = 688;
  static constexpr std::int64_t vocabulary = 1000;
  static constexpr std::int64_t most_positions = 4096;
  static constexpr int numbers = onnx::TensorProto::FLOAT16;

  std::string product(const std::string& name, const std::string& x, std::int64_t rows,
                      std::int64_t columns) {
    return graph_.apply("MatMul", name, {x, graph_.weight(name + ".weight", {rows, columns}, numbers)});
  }

  // The root mean square of a vector is its length but for a factor, which the weights contain.
  std::string normalised(const std::string& name, const std::string& x) {
    const std::string unit = graph_.unit_length(name + "/unit", x);
    return graph_.apply("Mul", name, {unit, graph_.weight(name + ".weight", {features}, numbers)});
  }

  std::string attention(const std::string& name, const std::string& x, int layer) {
    const auto past = [&](const char* what) {
      return graph_.open_input("past_key_values." + std::to_string(layer) + "." + what,
                               {"batch", std::to_string(key_heads), "past", std::to_string(head_features)},
                               numbers);
    };
    const std::string query = product(name + "/query", x, features, features);
    const std::string key = product(name + "/key", x, features, key_heads * head_features);
    const std::string value = product(name + "/value", x, features, key_heads * head_features);
    const std::string past_key = past("key"), past_value = past("value");
    const std::vector<std::string> results = graph_.grouped_query_attention(
        name, {query, key, value, past_key, past_value, key_lengths_, total_length_, cosines_, sines_},
        heads, key_heads);
    for (const std::string& cache : {results[1], results[2]})
      graph_.output(cache, numbers,
                    {"batch", std::to_string(key_heads), "total", std::to_string(head_features)});
    return product(name + "/output", results[0], features, features);
  }

  std::string feed_forward(const std::string& name, const std::string& x) {
    const std::string gate = product(name + "/gate", x, features, feed_forward_features);
    const std::string up = product(name + "/up", x, features, feed_forward_features);
    const std::string open = graph_.apply("Sigmoid", name + "/sigmoid", {gate});
    const std::string silu = graph_.apply("Mul", name + "/silu", {gate, open});
    const std::string gated = graph_.apply("Mul", name + "/gated", {silu, up});
    return product(name + "/down", gated, feed_forward_features, features);
  }

  GraphBuilder graph_{"llama_decoder"};
  std::string key_lengths_, total_length_, cosines_, sines_;
};

}  // namespace

onnx::ModelProto make_llama_decoder() { return Decoder().make(); }

}  // namespace zz::models
