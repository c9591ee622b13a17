#include "core/input/onnx/workload.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/interruption.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/onnx/detail/as_zigzag.hpp"
#include "core/input/onnx/detail/data_flow.hpp"
#include "core/input/onnx/detail/node_layers.hpp"
#include "core/input/onnx/detail/workload_builder.hpp"
#include "core/input/onnx/network.hpp"
#include "core/input/onnx/network_report.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"

namespace zz::core::onnx_import {
namespace {

enum class Cores { one, several };

/// Weights of a convolution have an axis of groups only when there are groups, as Stream writes them.
void leave_out_single_group(Layer& layer) {
  std::vector<std::string>& dimensions =
      layer.operands[static_cast<std::size_t>(layer.operand_index("W"))].dimensions;
  if (layer.loop_size("G") != 1 || dimensions.empty() || dimensions.front() != "G") return;
  dimensions.erase(dimensions.begin());
  if (const auto at = layer.equation.find("W[g]"); at != std::string::npos) layer.equation.erase(at + 1, 3);
}

/// A product is called by its operator for one core, and as Stream calls it for several.
void name_as_stream(Layer& layer) {
  const bool convolution = layer.type == "Conv" || layer.type == "QLinearConv";
  layer.type = convolution ? "conv" : lower_case(layer.type);
  if (convolution) leave_out_single_group(layer);
}

/// Makes the workload of a network, node by node: its layers, their sources, names and entries of the
/// mapping file; what is neither a product nor work on elements becomes a pass-through node.
class WorkloadMaker {
 public:
  WorkloadMaker(const Network& network, const OnnxReading& reading, Cores cores)
      : network_(network),
        reading_(reading),
        several_(cores == Cores::several),
        mapping_(reading.mapping),
        written_bits_(written_bits(network)),
        flow_(several_ ? flow_of_elements(network, made_) : flow_of_tensors(network, made_)) {}

  Workload make() {
    for (const NetworkNode& node : network_.nodes) {
      end_if_interrupted();
      if (several_ && node.inputs.empty()) {
        made_.skip_id();
        continue;
      }
      try {
        if (!add_products(node) && !add_vector_layer(node)) flow_->add_pass_through(node);
      } catch (const NodeProblem& problem) {
        report_uncosted(node, problem);
        flow_->add_pass_through(node);
      }
    }
    report_causes();
    list_unknown_operators();
    warn_of_unknown_allowances();
    warn_of_blocks();
    Workload workload = made_.take();
    workload.stored = stored_data();
    workload.frames = frames();
    return workload;
  }

 private:
  enum class Group { products, vector };

  /// False when the node has no products.
  bool add_products(const NetworkNode& node) {
    NodeProducts of_node{node, network_.products(node), {}, {}};
    const std::vector<Product>& products = of_node.products;
    const bool empty = std::all_of(products.begin(), products.end(),
                                   [](const Product& product) { return mac_count(product) == 0; });
    if (empty) return false;
    for (const Product& product : products) {
      of_node.layers.push_back(layer_of_product(network_, node, product, written_bits_, reading_.settings));
      of_node.ids.push_back(DataFlow::none);
      for (const std::string& tensor : blocks_not_followed(network_, node, product))
        blocks_not_followed_.insert(tensor);
    }
    for (std::size_t i = 0; i < products.size(); ++i) {
      if (mac_count(products[i]) == 0) continue;
      if (several_) name_as_stream(of_node.layers[i]);
      flow_->connect(of_node, i);
      of_node.ids[i] = add_layer(std::move(of_node.layers[i]), node, Group::products);
      of_node.layers[i] = made_.last_layer();
    }
    flow_->set_results(of_node);
    return true;
  }

  /// False for a node that is no layer: see is_vector_layer().
  bool add_vector_layer(const NetworkNode& node) {
    if (node.known == nullptr || node.known->work != Operator::Work::vector || node.outputs.empty() ||
        node.outputs[0] < 0 ||
        network_.tensors[static_cast<std::size_t>(node.outputs[0])].is_known_before_run())
      return false;
    const OperatorNode view = network_.view(node);
    if (!is_vector_layer(node, view)) return false;
    const std::int64_t result_bits = written_bits_[static_cast<std::size_t>(node.outputs[0])];
    std::optional<VectorLayer> made;
    if (is_pooling(view))
      made = VectorLayer{pooling_layer(view, result_bits, reading_.settings), -1, 0};
    else
      made = vector_layer(view, flow_->carried(node), result_bits, reading_.settings);
    if (!made) return false;
    made->layer.name = node.name;
    flow_->connect(node, *made);
    flow_->set_results(node, add_layer(std::move(made->layer), node, Group::vector));
    return true;
  }

  /// True for work on elements: all of it for a vector unit beside one core; for several cores pooling,
  /// sums and products of two tensors, and what reads computed data and has an entry of the mapping file.
  bool is_vector_layer(const NetworkNode& node, const OperatorNode& view) const {
    if (!several_) return reading_.settings.vector_layers;
    if (is_pooling(view) || is_sum_or_product_of_alike(view)) return true;
    const std::vector<bool> carried = flow_->carried(node);
    const bool computed = std::find(carried.begin(), carried.end(), true) != carried.end();
    return computed &&
           mapping_.has_entry({node.name, view.op_type(), lower_case(view.op_type()), vector_group});
  }

  std::int64_t add_layer(Layer layer, const NetworkNode& node, Group group) {
    layer.id = made_.next_id();
    layer.name = made_.unique_name(std::move(layer.name));
    select_mapping(layer, mapping_, mapping_names(layer, node, group), reading_.rules, reading_.mark,
                   reading_.diagnostics);
    return made_.add_layer(std::move(layer));
  }

  /// By which a layer finds its entry of the mapping file.
  std::vector<std::string> mapping_names(const Layer& layer, const NetworkNode& node, Group group) const {
    std::vector<std::string> names{layer.name, node.name};
    if (several_) names.push_back(fmt::format("Layer{}", layer.id));
    const std::string& type = network_.view(node).op_type();
    names.push_back(type);
    if (several_)
      names.push_back(layer.type);
    else if (group == Group::vector)
      names.push_back(lower_case(type));
    if (group == Group::vector) names.emplace_back(vector_group);
    return names;
  }

  /// A node whose layers cannot be made: an error, or a warning where `allow_uncosted` has its type. The
  /// workload then lists it.
  void report_uncosted(const NetworkNode& node, const NodeProblem& problem) {
    const std::string text = fmt::format("node '{}' ({}): {}", node.name, node.op_type, problem.what());
    if (reading_.settings.allow_uncosted.count(node.op_type) == 0) {
      if (!problem.cause().empty()) {
        for (CommonCause& known : common_causes_)
          if (known.cause == problem.cause()) {
            ++known.others;
            return;
          }
      }
      common_causes_.push_back({problem.cause(), text, problem.hint()});
      return;
    }
    reading_.diagnostics.warning(reading_.mark, text + "; it has no cost");
    made_.add_uncosted({node.name, node.op_type, problem.what(), mac_count(network_, node)});
  }

  /// One error for all nodes that one remedy helps.
  void report_causes() {
    for (const CommonCause& each : common_causes_)
      reading_.diagnostics.error(
          reading_.mark,
          each.text + (each.others == 0 ? ""
                                        : fmt::format("; {} more node{} for the same reason", each.others,
                                                      each.others == 1 ? " fails" : "s fail")),
          each.hint);
  }

  /// Lengths that nobody knows count as nothing.
  StoredData stored_data() const {
    StoredData stored;
    stored.parameters = static_cast<double>(parameter_count(network_));
    for (const std::int64_t input : network_.inputs) {
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(input)];
      if (tensor.has_full_shape()) stored.inputs += static_cast<double>(element_count(*tensor.shape));
    }
    return stored;
  }

  /// The length of the first axis of the first input that has two or more; 1 where none has.
  double frames() const {
    for (const std::int64_t input : network_.inputs) {
      const Tensor& tensor = network_.tensors[static_cast<std::size_t>(input)];
      if (tensor.shape && tensor.shape->size() > 1 && tensor.shape->front() > 0)
        return static_cast<double>(tensor.shape->front());
    }
    return 1;
  }

  /// They may multiply: an error where `allow_uncosted` lacks their types. The workload then lists them.
  void list_unknown_operators() {
    std::string told, types;
    std::set<std::string> refused;
    for (const NetworkNode& node : network_.nodes) {
      if (!has_unknown_operator(node)) continue;
      made_.add_uncosted({node.name, node.op_type, unknown_operator});
      if (reading_.settings.allow_uncosted.count(node.op_type) != 0 || !refused.insert(node.op_type).second)
        continue;
      told += fmt::format("{}'{}' (node '{}')", told.empty() ? "" : ", ", node.op_type, node.name);
      types += fmt::format("{}\"{}\"", types.empty() ? "" : ", ", node.op_type);
    }
    if (refused.empty()) return;
    reading_.diagnostics.error(
        reading_.mark,
        fmt::format("nobody knows whether {} and what that costs: {}",
                    refused.size() == 1 ? "this operator multiplies" : "these operators multiply", told),
        fmt::format("stages of `operators` can say it; `allow_uncosted: [{}]` leaves the work out", types));
  }

  void warn_of_unknown_allowances() {
    std::set<std::string> types;
    for (const NetworkNode& node : network_.nodes) types.insert(node.op_type);
    for (const std::string& type : reading_.settings.allow_uncosted)
      if (types.count(type) == 0)
        reading_.diagnostics.warning(
            reading_.mark,
            fmt::format("'allow_uncosted' names {}, but the network has no operator of this type", type),
            suggestion(type, std::vector<std::string>(types.begin(), types.end())));
  }

  void warn_of_blocks() {
    if (blocks_not_followed_.empty()) return;
    const std::size_t others = blocks_not_followed_.size() - 1;
    reading_.diagnostics.warning(
        reading_.mark,
        fmt::format(
            "the scales of the blocks of '{}'{} do not count: they are along an axis that is not one "
            "loop of the layer that reads it, as far as that can be followed",
            *blocks_not_followed_.begin(),
            others == 0 ? "" : fmt::format(" and {} other tensor{}", others, others == 1 ? "" : "s")),
        "operand_precision: {W: {bits: 4, scale: {bits: 16, every: 32, along: C}}} says the type of a "
        "layer");
  }

  /// Why layers of nodes cannot be made.
  struct CommonCause {
    std::string cause, text, hint;
    std::size_t others = 0;  ///< nodes beside that which the text names
  };

  static constexpr const char* vector_group = "vector";

  const Network& network_;
  const OnnxReading& reading_;
  const bool several_;
  const MappingSelection mapping_;
  const std::vector<std::int64_t> written_bits_;
  WorkloadBuilder made_;
  const std::unique_ptr<DataFlow> flow_;
  std::vector<CommonCause> common_causes_;
  std::set<std::string> blocks_not_followed_;  ///< tensors
};

Workload read_by_rules(const std::string& path, const OnnxReading& reading, Cores cores) {
  Diagnostics& diagnostics = reading.diagnostics;
  const OnnxSettings& settings = reading.settings;
  if (!reading.rules.onnx_operators_of_zigzag) {
    const Network network = read_network(path, {settings.dimensions, settings.values, settings.batch},
                                         diagnostics, settings.read_operator, reading.files);
    return WorkloadMaker(network, reading, cores).make();
  }
  if (settings.batch)
    diagnostics.warning(reading.mark, "`batch` has no effect with `compat`",
                        "as in ZigZag and Stream, the batch must be in the file, and an open one is 1");
  if (cores == Cores::one && !settings.dimensions.empty())
    diagnostics.warning(reading.mark, "`dimensions` has no effect with `compat`",
                        "as in ZigZag, an open batch size is 1, and other lengths must be in the file");
  if (!settings.values.empty())
    diagnostics.warning(reading.mark, "`values` has no effect with `compat`",
                        "as in ZigZag and Stream, the branch with the most nodes is taken");
  const Network network = read_as_zigzag(path, diagnostics, reading.files);
  Workload workload =
      cores == Cores::one ? zigzag_workload_of(network, reading) : stream_workload_of(network, reading);
  workload.frames = batch_of_loops(workload);
  return workload;
}

/// Problems of a network whose batch was set, with the doubt that the batch is why.
InputError with_doubt_of_batch(const InputError& problem, std::int64_t batch, const SourceMark& mark) {
  std::vector<Diagnostic> all = problem.diagnostics();
  const bool of_nodes = std::any_of(all.begin(), all.end(), [](const Diagnostic& one) {
    return one.severity == Severity::error && one.message.starts_with("node ");
  });
  if (of_nodes)
    all.push_back(
        {Severity::error, mark, fmt::format("with `batch: {}` the network does not fit together", batch),
         "where shapes in the file are fixed to its own batch, as that of a Reshape, export it with an "
         "open one; `dimensions: {\"input:0\": LENGTH}` sets single axes"});
  return InputError(std::move(all));
}

Workload read_with_batch(const std::string& path, const OnnxReading& reading, Cores cores) {
  const std::optional<std::int64_t>& batch = reading.settings.batch;
  if (!batch) return read_by_rules(path, reading, cores);
  try {
    return read_by_rules(path, reading, cores);
  } catch (const InputError& problem) {
    throw with_doubt_of_batch(problem, *batch, reading.mark);
  }
}

/// `nothing` and its hint are the error about a network without layers.
Workload read_with_layers(const std::string& path, const OnnxReading& reading, Cores cores,
                          const std::string& nothing, const std::string& hint) {
  Workload workload = read_with_batch(path, reading, cores);
  if (workload.layers.empty() && !reading.diagnostics.has_errors())
    reading.diagnostics.error(reading.mark, nothing, hint);
  reading.diagnostics.throw_if_errors();
  workload.name = std::filesystem::path(path).stem().string();
  return workload;
}

}  // namespace
}  // namespace zz::core::onnx_import

namespace zz::core {

Workload read_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                   Diagnostics& diagnostics, const OnnxSettings& settings, const Files& files) {
  const SourceMark mark{path};
  const bool as_zigzag = rules.onnx_operators_of_zigzag;
  return onnx_import::read_with_layers(
      path, {mapping, settings, rules, mark, diagnostics, files}, onnx_import::Cores::one,
      as_zigzag ? "the network has no operator that can be mapped"
                : "the network has no operator that multiplies and accumulates",
      as_zigzag ? "mapped are Conv, QLinearConv, MatMul and Gemm"
                : "such are Conv, Gemm, MatMul and others (docs/networks.md)");
}

Workload read_stream_onnx(const std::string& path, const MappingFile& mapping, const Rules& rules,
                          Diagnostics& diagnostics, const OnnxSettings& settings, const Files& files) {
  const SourceMark mark{path};
  return onnx_import::read_with_layers(
      path, {mapping, settings, rules, mark, diagnostics, files}, onnx_import::Cores::several,
      "the network has no operator that runs on a core",
      rules.onnx_operators_of_zigzag
          ? "those are Conv, QLinearConv, Gemm, MatMul, pooling, and Add and Mul of equal shapes"
          : "those multiply and accumulate, or are pooling, or Add and Mul of equal shapes, or "
            "have an entry in the mapping file");
}

}  // namespace zz::core
