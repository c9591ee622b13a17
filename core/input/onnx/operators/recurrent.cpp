#include <fmt/format.h>

#include "core/input/onnx/detail/loop_nests.hpp"
#include "core/input/onnx/operators/operator.hpp"

// Recurrent layers: RNN, GRU, LSTM.
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

}  // namespace

std::vector<Operator> recurrent_operators() {
  std::vector<Operator> all;
  for (const char* name : {"RNN", "GRU", "LSTM"})
    all.push_back({standard_domain, name, Operator::Work::products, infer_recurrent, recurrent_products});
  all.push_back({microsoft_domain, "DynamicQuantizeLSTM", Operator::Work::products, infer_recurrent,
                 recurrent_products});
  return all;
}

}  // namespace zz::core::onnx_import
