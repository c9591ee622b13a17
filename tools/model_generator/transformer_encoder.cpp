#include <cmath>

#include "tools/model_generator/graph_builder.hpp"
#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {
namespace {

constexpr int layers = 2;
constexpr std::int64_t features = 256;
constexpr std::int64_t heads = 4;
constexpr std::int64_t head_features = features / heads;
constexpr std::int64_t feed_forward_features = 1024;
constexpr std::int64_t vocabulary = 1000;
constexpr std::int64_t most_positions = 512;

class Encoder {
 public:
  /// 0 for `batch` and `positions`: as many as the input has.
  Encoder(const std::string& network, std::int64_t batch, std::int64_t positions)
      : graph_(network), batch_(batch), positions_(positions) {}

  onnx::ModelProto make_of_embeddings() {
    add_constants();
    return layers_of(graph_.input("embeddings", {batch_, positions_, features}));
  }

  onnx::ModelProto make_of_words() {
    add_constants();
    constexpr int integers = onnx::TensorProto::INT64;
    const std::string words = graph_.open_input("input_ids", {"batch", "sequence"}, integers);
    const std::string places = graph_.open_input("position_ids", {"batch", "sequence"}, integers);
    const std::string word_table = graph_.weight("words.weight", {vocabulary, features});
    const std::string place_table = graph_.weight("positions.weight", {most_positions, features});
    const std::string word = graph_.gather("words", word_table, words);
    const std::string place = graph_.gather("positions", place_table, places);
    return layers_of(graph_.apply("Add", "embeddings", {word, place}));
  }

 private:
  void add_constants() {
    two_ = graph_.constant("two", 2.0F);
    half_ = graph_.constant("half", 0.5F);
    one_ = graph_.constant("one", 1.0F);
    root_of_two_ = graph_.constant("root_of_two", std::sqrt(2.0F));
    epsilon_ = graph_.constant("epsilon", 1e-5F);
    scale_ = graph_.constant("score_scale", std::sqrt(static_cast<float>(head_features)));
  }

  onnx::ModelProto layers_of(std::string x) {
    for (int layer = 1; layer <= layers; ++layer) {
      const std::string name = "layer" + std::to_string(layer);
      x = normalised_sum(name + "/norm1", x, attention(name + "/attention", x));
      x = normalised_sum(name + "/norm2", x, feed_forward(name + "/feed_forward", x));
    }
    return graph_.finish(x);
  }

  // One matrix per head: [batch, position, feature] becomes [batch, head, ...] in the order asked for.
  std::string split_heads(const std::string& name, const std::string& x, const Shape& order) {
    const std::string projected = graph_.linear(name, x, features, features);
    const std::string split =
        graph_.reshape(name + "/split", projected, {batch_, positions_, heads, head_features});
    return graph_.transpose(name + "/transpose", split, order);
  }

  std::string attention(const std::string& name, const std::string& x) {
    const std::string query = split_heads(name + "/query", x, {0, 2, 1, 3});
    const std::string key = split_heads(name + "/key", x, {0, 2, 3, 1});
    const std::string value = split_heads(name + "/value", x, {0, 2, 1, 3});
    const std::string scores = graph_.apply("MatMul", name + "/scores", {query, key});
    const std::string scaled = graph_.apply("Div", name + "/scale", {scores, scale_});
    const std::string weights = graph_.softmax(name + "/softmax", scaled);
    const std::string mixed = graph_.apply("MatMul", name + "/context", {weights, value});
    const std::string back = graph_.transpose(name + "/transpose", mixed, {0, 2, 1, 3});
    const std::string joined = graph_.reshape(name + "/join", back, {batch_, positions_, features});
    return graph_.linear(name + "/output", joined, features, features);
  }

  std::string feed_forward(const std::string& name, const std::string& x) {
    const std::string wide = graph_.linear(name + "/expand", x, features, feed_forward_features);
    return graph_.linear(name + "/reduce", gelu(name + "/gelu", wide), feed_forward_features, features);
  }

  // x * (1 + erf(x / sqrt 2)) / 2, in the operators that exporters write.
  std::string gelu(const std::string& name, const std::string& x) {
    const std::string error =
        graph_.apply("Erf", name + "/erf", {graph_.apply("Div", name + "/div", {x, root_of_two_})});
    const std::string gate = graph_.apply("Add", name + "/add", {error, one_});
    return graph_.apply("Mul", name + "/halve", {graph_.apply("Mul", name + "/mul", {x, gate}), half_});
  }

  std::string normalised_sum(const std::string& name, const std::string& x, const std::string& y) {
    const std::string sum = graph_.apply("Add", name + "/residual", {x, y});
    const std::string centred =
        graph_.apply("Sub", name + "/centre", {sum, graph_.mean_of_last_axis(name + "/mean", sum)});
    const std::string squares = graph_.apply("Pow", name + "/square", {centred, two_});
    const std::string variance = graph_.mean_of_last_axis(name + "/variance", squares);
    const std::string deviation = graph_.apply(
        "Sqrt", name + "/sqrt", {graph_.apply("Add", name + "/epsilon", {variance, epsilon_})});
    const std::string unit = graph_.apply("Div", name + "/div", {centred, deviation});
    const std::string scaled =
        graph_.apply("Mul", name + "/scale", {unit, graph_.weight(name + ".weight", {features})});
    return graph_.apply("Add", name + "/shift", {scaled, graph_.weight(name + ".bias", {features})});
  }

  GraphBuilder graph_;
  const std::int64_t batch_, positions_;
  std::string two_, half_, one_, root_of_two_, epsilon_, scale_;
};

}  // namespace

onnx::ModelProto make_transformer_encoder() {
  return Encoder("transformer_encoder", 1, 128).make_of_embeddings();
}

onnx::ModelProto make_bert_encoder() { return Encoder("bert_encoder", 0, 0).make_of_words(); }

}  // namespace zz::models
