#include <algorithm>
#include <fmt/format.h>

#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Recurrent layers: RNN, GRU, LSTM, and attention that keeps a matrix from token to token.
namespace zz::core::onnx_import {
namespace {

std::int64_t gate_count(const OperatorNode& node) {
  if (node.op_type() == "GRU") return 3;
  return node.op_type() == "RNN" ? 1 : 4;
}

struct RecurrentLengths {
  std::int64_t steps, batch, inputs, directions, hidden;
  bool batch_first;
};

/// Weights are [directions, gates * H, I] and [directions, gates * H, H]; those of DynamicQuantizeLSTM lie
/// the other way round.
std::optional<RecurrentLengths> recurrent_lengths(const OperatorNode& node) {
  const Shape* const data = node.shape(0);
  const Shape* const weights = node.shape(1);
  const Shape* const recurrence = node.shape(2);
  if (data == nullptr || weights == nullptr || recurrence == nullptr) return std::nullopt;
  if (data->size() != 3 || weights->size() != 3 || recurrence->size() != 3)
    throw NodeProblem(fmt::format("its input and weights have {}, {} and {} axes, expected are 3",
                                  data->size(), weights->size(), recurrence->size()));
  const bool batch_first = node.attributes().integer("layout", 0) != 0;
  const std::int64_t hidden = (*recurrence)[node.op_type() == "DynamicQuantizeLSTM" ? 1 : 2];
  return RecurrentLengths{(*data)[batch_first ? 1 : 0],
                          (*data)[batch_first ? 0 : 1],
                          (*data)[2],
                          (*weights)[0],
                          hidden,
                          batch_first};
}

void infer_recurrent(const OperatorNode& node) {
  const auto lengths = recurrent_lengths(node);
  if (!lengths) {
    for (std::size_t i = 0; i < node.output_count(); ++i) node.set(i, node.type(0), std::nullopt);
    return;
  }
  const auto& [steps, batch, inputs, directions, hidden, batch_first] = *lengths;
  node.set(0, node.type(0),
           batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden});
  for (std::size_t i = 1; i < node.output_count(); ++i)
    node.set(i, node.type(0),
             batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden});
}

// The inputs of all steps are multiplied at once. Each step of the recurrence needs the result of the step
// before; its weights are read once where a memory holds them.
std::vector<Product> recurrent_products(const OperatorNode& node) {
  for (std::size_t i = 0; i < 3; ++i) node.full_shape(i);
  const RecurrentLengths lengths = *recurrent_lengths(node);
  const std::int64_t columns = gate_count(node) * lengths.hidden;
  const Shape directions{lengths.directions};
  std::vector<Product> products;
  // Both directions read the same input.
  Product all_steps = matrix_nest({1}, directions, lengths.steps * lengths.batch, lengths.inputs, columns);
  all_steps.suffix = "/input";
  all_steps.input.input = 0;
  all_steps.weight.input = 1;
  all_steps.output = -1;
  products.push_back(std::move(all_steps));
  Product recurrence = matrix_nest(directions, directions, lengths.batch, lengths.hidden, columns);
  recurrence.suffix = "/recurrence";
  recurrence.loops.push_back({"T", lengths.steps, true});
  recurrence.output_dimensions.emplace_back("T");
  recurrence.input.dimensions.emplace_back("T");
  recurrence.input.product = 0;
  recurrence.weight.input = 2;
  products.push_back(std::move(recurrence));
  return products;
}

// LinearAttention and GatedDeltaNet: each head has a state of key width times value width. A token adds the
// outer product of its key and its value to it, and its query is multiplied with it (Katharopoulos et al.,
// ICML 2020). By the delta rule the value is first compared with what the state predicts for the key (Yang
// et al., NeurIPS 2024).
struct StateLengths {
  std::int64_t batch, steps, query_heads, state_heads, key_width, value_width;
  bool has_delta;
};

bool has_packed_tokens(const OperatorNode& node) { return node.op_type() == "GatedDeltaNet"; }

std::int64_t shared_out(std::int64_t length, std::int64_t parts, const char* what) {
  if (length == unknown_length || parts == unknown_length) return unknown_length;
  if (parts < 1 || length % parts != 0)
    throw NodeProblem(fmt::format("its {} of {} cannot be divided by {}", what, length, parts));
  return length / parts;
}

std::optional<StateLengths> state_lengths(const OperatorNode& node) {
  const Shape *const query = node.shape(0), *const value = node.shape(2);
  if (query == nullptr || value == nullptr) return std::nullopt;
  if (query->size() != 3 || value->size() != 3)
    throw NodeProblem(fmt::format("its queries and values have {} and {} axes, expected are 3",
                                  query->size(), value->size()));
  const std::string rule = node.attributes().text("update_rule", "gated_delta");
  StateLengths lengths{};
  lengths.has_delta = rule.find("delta") != std::string::npos;
  if (!has_packed_tokens(node)) {
    lengths.batch = (*query)[0];
    lengths.steps = (*query)[1];
    lengths.query_heads = node.attributes().required_integer("q_num_heads");
    lengths.state_heads = node.attributes().required_integer("kv_num_heads");
    lengths.key_width = shared_out((*query)[2], lengths.query_heads, "width");
    lengths.value_width = shared_out((*value)[2], lengths.state_heads, "width of values");
    return lengths;
  }
  // The tokens of all requests follow each other. Without their places they are shared out evenly.
  lengths.batch = 1;
  if (node.has_input(3) && node.shape(3) != nullptr && node.shape(3)->size() == 1)
    lengths.batch = (*node.shape(3))[0] == unknown_length ? unknown_length : (*node.shape(3))[0] - 1;
  else if (node.has_input(6) && node.shape(6) != nullptr && !node.shape(6)->empty())
    lengths.batch = (*node.shape(6))[0];
  lengths.steps = shared_out((*query)[0], lengths.batch, "tokens");
  lengths.query_heads = (*query)[1];
  lengths.state_heads = (*value)[1];
  lengths.key_width = (*query)[2];
  lengths.value_width = (*value)[2];
  return lengths;
}

void infer_state_attention(const OperatorNode& node) {
  const bool packed = has_packed_tokens(node);
  const std::size_t past = packed ? 6 : 3;
  const ElementType state_type = node.has_input(past) ? node.type(past)
                                 : packed             ? ElementType::float32
                                                      : node.type(0);
  const auto lengths = state_lengths(node);
  if (!lengths) {
    node.set(0, node.type(0), std::nullopt);
    return node.set(1, state_type, std::nullopt);
  }
  const auto& [batch, steps, query_heads, state_heads, key_width, value_width, has_delta] = *lengths;
  const std::int64_t heads = std::max(query_heads, state_heads);
  if (packed) {
    node.set(0, node.type(0), Shape{(*node.shape(0))[0], heads, value_width});
    return node.set(1, state_type, Shape{batch, state_heads, value_width, key_width});
  }
  node.set(0, node.type(0),
           Shape{batch, steps, value_width == unknown_length ? unknown_length : heads * value_width});
  Shape state{batch, state_heads, key_width, value_width};
  if (const std::int64_t window = node.attributes().integer("state_window", 0); window > 0)
    state.insert(state.begin(), window);
  node.set(1, state_type, std::move(state));
}

// The state stays where it is and changes in place: it is one tensor, whatever the number of steps.
std::vector<Product> state_attention_products(const OperatorNode& node) {
  for (std::size_t i = 0; i < 3; ++i) node.full_shape(i);
  const StateLengths lengths = *state_lengths(node);
  if (lengths.steps == unknown_length) node.full_shape(3);
  const Shape heads{lengths.batch, lengths.state_heads};
  const std::int64_t readers = std::max(lengths.query_heads, lengths.state_heads);
  std::vector<Product> products;
  Product update = matrix_nest(heads, heads, lengths.key_width, 1, lengths.value_width);
  update.suffix = "/state";
  update.loops.push_back({"T", lengths.steps, true});
  update.input.dimensions.emplace_back("T");
  update.weight.dimensions.emplace_back("T");
  update.input.input = 1;
  update.weight.input = 2;
  update.output = node.has_output(1) ? 1 : -1;
  products.push_back(std::move(update));
  const auto read = [&](const char* suffix, std::int64_t rows, int input, int output) {
    Product product = matrix_nest(heads, heads, rows, lengths.key_width, lengths.value_width);
    product.suffix = suffix;
    product.loops.push_back({"T", lengths.steps, true});
    product.output_dimensions.emplace_back("T");
    product.input.dimensions.emplace_back("T");
    product.input.input = input;
    product.weight.product = 0;
    product.output = output;
    products.push_back(std::move(product));
  };
  if (lengths.has_delta) read("/prediction", 1, 1, -1);
  read("/output", shared_out(readers, lengths.state_heads, "heads of queries"), 0, 0);
  return products;
}

}  // namespace

std::vector<Operator> recurrent_operators() {
  std::vector<Operator> all;
  for (const std::string_view domain : {standard_domain, microsoft_domain})
    all.push_back({domain, "LinearAttention", Operator::Work::products, infer_state_attention,
                   state_attention_products});
  all.push_back({microsoft_domain, "GatedDeltaNet", Operator::Work::products, infer_state_attention,
                 state_attention_products});
  for (const char* name : {"RNN", "GRU", "LSTM"})
    all.push_back({standard_domain, name, Operator::Work::products, infer_recurrent, recurrent_products});
  all.push_back({microsoft_domain, "DynamicQuantizeLSTM", Operator::Work::products, infer_recurrent,
                 recurrent_products});
  return all;
}

}  // namespace zz::core::onnx_import
