#include "core/input/onnx/detail/control_flow.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>
#include <vector>

#include "core/input/onnx/detail/graph_evaluation.hpp"

namespace zz::core::onnx_import {
namespace {

// docs/limits.md names it.
constexpr std::int64_t most_iterations = 100'000;

/// Runs one Loop or Scan.
class Iterations : private FollowedNode {
 public:
  using FollowedNode::FollowedNode;

  // Inputs: trips, condition, carried values. Outputs: carried values, then one list for each value that
  // an iteration leaves behind.
  void run_loop() {
    const onnx::GraphProto& body = graph("body");
    const int carried = std::max(node_.input_size() - 2, 0);
    if (body.input_size() < 2 + carried || body.output_size() < 1 + carried)
      throw NodeProblem("its body has fewer inputs or outputs than the node has values to carry");
    std::vector<std::int64_t> values;
    for (int i = 0; i < carried; ++i) values.push_back(input_or_none(2 + i));
    std::int64_t trips = trips_of_loop();
    bool goes_on = true;
    if (const auto* const condition = input_or_none(1) >= 0 ? integers(input_or_none(1)) : nullptr)
      goes_on = condition->empty() || condition->front() != 0;
    const bool counted = trips != unknown_length;
    if (!counted) trips = 1;
    Collected collected(static_cast<std::size_t>(body.output_size() - 1 - carried));
    std::int64_t done = 0;
    for (; done < trips && goes_on; ++done) {
      Scope inner(&scope_);
      inner.put(body.input(0).name(), add_scalar(body.input(0).name(), ElementType::int64, done));
      inner.put(body.input(1).name(), add_scalar(body.input(1).name(), ElementType::boolean, 1));
      for (int i = 0; i < carried; ++i)
        if (values[static_cast<std::size_t>(i)] >= 0)
          inner.put(body.input(2 + i).name(), values[static_cast<std::size_t>(i)]);
      const auto before = evaluation_.progress();
      evaluation_.run_graph(body, inner, inside(iteration_suffix(done)));
      if (!counted) require_trips_if_products(before);
      for (int i = 0; i < carried; ++i)
        values[static_cast<std::size_t>(i)] = inner.find(body.output(1 + i).name());
      for (std::size_t i = 0; i < collected.size(); ++i)
        collected[i] = inner.find(body.output(1 + carried + static_cast<int>(i)).name());
      const std::int64_t condition = inner.find(body.output(0).name());
      if (const auto* const known = condition >= 0 ? integers(condition) : nullptr)
        goes_on = known->empty() || known->front() != 0;
    }
    for (int i = 0; i < carried && i < node_.output_size(); ++i)
      if (values[static_cast<std::size_t>(i)] >= 0) put_output(i, values[static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < collected.size(); ++i)
      put_stacked(carried + static_cast<int>(i), collected[i], counted ? done : unknown_length, 0);
  }

  // Inputs: states, then sequences, of which each iteration gets a slice.
  void run_scan() {
    const onnx::GraphProto& body = graph("body");
    const Attributes attributes(node_, around_.call);
    const bool batched = around_.operator_sets->count("") != 0 && around_.operator_sets->at("") < 9;
    if (batched)
      throw NodeProblem("the Scan of operator set 8 is not supported",
                        "export with operator set 9 or newer");
    const auto sequences = static_cast<int>(attributes.required_integer("num_scan_inputs"));
    const int states = node_.input_size() - sequences;
    if (sequences < 1 || states < 0 || body.input_size() < node_.input_size() ||
        body.output_size() < states)
      throw NodeProblem("its body has fewer inputs or outputs than the node has states and sequences");
    const auto input_axes =
        attributes.integers("scan_input_axes").value_or(Shape(static_cast<std::size_t>(sequences), 0));
    const auto output_axes = attributes.integers("scan_output_axes")
                                 .value_or(Shape(static_cast<std::size_t>(body.output_size() - states), 0));
    if (input_axes.size() != static_cast<std::size_t>(sequences) ||
        output_axes.size() != static_cast<std::size_t>(body.output_size() - states))
      throw NodeProblem(
          "'scan_input_axes' or 'scan_output_axes' has another length than the body has sequences");
    std::vector<std::int64_t> values;
    for (int i = 0; i < states; ++i) values.push_back(input_or_none(i));
    std::int64_t trips = unknown_length;
    std::vector<Tensor> slices;
    for (int i = 0; i < sequences; ++i) {
      const std::int64_t index = input_or_none(states + i);
      if (index < 0) throw NodeProblem("one of its sequences is missing");
      Tensor slice = tensor(index);
      slice.values = nullptr;
      if (slice.shape) {
        const std::size_t axis =
            axis_from_front(input_axes[static_cast<std::size_t>(i)], slice.shape->size());
        if (trips == unknown_length) trips = (*slice.shape)[axis];
        slice.shape->erase(slice.shape->begin() + static_cast<std::ptrdiff_t>(axis));
      }
      slices.push_back(std::move(slice));
    }
    if (trips == unknown_length) trips = evaluation_.given(full_name() + ":trips");
    const bool counted = trips != unknown_length;
    check_iterations(trips);
    Collected collected(output_axes.size(), -1);
    for (std::int64_t done = 0; done < (counted ? trips : 1); ++done) {
      Scope inner(&scope_);
      for (int i = 0; i < states; ++i)
        if (values[static_cast<std::size_t>(i)] >= 0)
          inner.put(body.input(i).name(), values[static_cast<std::size_t>(i)]);
      for (int i = 0; i < sequences; ++i) {
        Tensor slice = slices[static_cast<std::size_t>(i)];
        const Surroundings inner_names = inside(iteration_suffix(done));
        slice.name = inner_names.prefix + body.input(states + i).name() + inner_names.suffix;
        inner.put(body.input(states + i).name(), evaluation_.add_tensor(std::move(slice)));
      }
      const auto before = evaluation_.progress();
      evaluation_.run_graph(body, inner, inside(iteration_suffix(done)));
      if (!counted) require_trips_if_products(before);
      for (int i = 0; i < states; ++i)
        values[static_cast<std::size_t>(i)] = inner.find(body.output(i).name());
      for (std::size_t i = 0; i < collected.size(); ++i)
        collected[i] = inner.find(body.output(states + static_cast<int>(i)).name());
    }
    for (int i = 0; i < states; ++i)
      if (values[static_cast<std::size_t>(i)] >= 0) put_output(i, values[static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < collected.size(); ++i)
      put_stacked(states + static_cast<int>(i), collected[i], trips, output_axes[i]);
  }

 private:
  using Collected = std::vector<std::int64_t>;

  std::string iteration_suffix(std::int64_t iteration) const { return fmt::format("#{}", iteration); }

  // The results of all iterations, one behind the other.
  void put_stacked(int i, std::int64_t one, std::int64_t count, std::int64_t axis) {
    if (i >= node_.output_size() || node_.output(i).empty()) return;
    Tensor list;
    if (one >= 0) {
      list = tensor(one);
      list.values = nullptr;
      if (list.shape) {
        const std::size_t place = axis_from_front(axis, list.shape->size() + 1);
        list.shape->insert(list.shape->begin() + static_cast<std::ptrdiff_t>(place), count);
      }
    }
    if (count == unknown_length)
      list.unknown_because =
          fmt::format("the iterations of node '{}' are known at run time only", full_name());
    list.name = full_output_name(i);
    put_output(i, evaluation_.add_tensor(std::move(list)));
  }

  std::int64_t trips_of_loop() {
    std::int64_t trips = unknown_length;
    if (input_or_none(0) >= 0) {
      if (const auto* const known = integers(input_or_none(0)); known != nullptr && !known->empty())
        trips = std::max<std::int64_t>(known->front(), 0);
    }
    // Exporters write the largest number for a loop that only its condition ends.
    if (trips > most_iterations) {
      const std::int64_t given = evaluation_.given(full_name() + ":trips");
      if (given != unknown_length || trips > (std::int64_t{1} << 31)) trips = given;
    } else if (trips == unknown_length) {
      trips = evaluation_.given(full_name() + ":trips");
    }
    check_iterations(trips);
    return trips;
  }

  void check_iterations(std::int64_t trips) const {
    if (trips > most_iterations)
      throw NodeProblem(
          fmt::format("it has {} iterations, at most {} are followed", trips, most_iterations));
  }

  std::int64_t add_scalar(const std::string& name, ElementType type, std::int64_t value) const {
    return add_number(full_name() + "/" + name, type, value);
  }

  void require_trips_if_products(const GraphEvaluation::Progress& before) {
    const Network& network = evaluation_.network();
    for (std::size_t i = before.nodes; i < network.nodes.size(); ++i) {
      const NetworkNode& node = network.nodes[i];
      if ((node.known != nullptr && node.known->products != nullptr) || node.answer != nullptr)
        throw NodeProblem("how often it runs is known at run time only, and it multiplies",
                          fmt::format("write `dimensions: {{\"{}:trips\": NUMBER}}`", full_name()));
    }
  }
};

/// Runs an If: the branch that its condition names. Where the condition depends on data, both are followed,
/// and the one with more multiply-accumulates stays; a branch that cannot be with the known shapes does
/// not. What then differs between their results is known at run time only.
class Branches : private FollowedNode {
 public:
  using FollowedNode::FollowedNode;

  void run() {
    const onnx::GraphProto& first = graph("then_branch");
    const onnx::GraphProto& second = graph("else_branch");
    if (evaluation_.as_zigzag()) return take_larger();
    const std::int64_t condition = input_or_none(0);
    const auto* const known = condition >= 0 ? integers(condition) : nullptr;
    if (known != nullptr && !known->empty()) {
      take(known->front() != 0 ? first : second);
      return;
    }
    // Each branch is followed once, so that branches within branches are, too.
    Branch branches[] = {follow(first, "then_branch"), follow(second, "else_branch")};
    const bool takes_second = branches[1].is_better_than(branches[0]);
    Branch& taken = branches[takes_second ? 1 : 0];
    const Branch& other = branches[takes_second ? 0 : 1];
    evaluation_.warn(fmt::format(
        "node '{}' (If) depends on data: its {} is taken, {}", full_name(), taken.attribute,
        other.fails() && !taken.fails() ? "because the other one cannot be with the shapes that are known"
                                        : "which has no fewer multiply-accumulates"));
    evaluation_.put_back(std::move(taken.written));
    put_outputs(taken.outputs, taken.graph);
    if (taken.fails() || other.fails()) return;
    for (std::size_t i = 0; i < taken.results.size() && i < other.results.size(); ++i)
      put_common(static_cast<int>(i), taken.results[i], other.results[i]);
  }

 private:
  /// The branch with the most nodes; of equally large ones the first in the file.
  void take_larger() {
    const onnx::AttributeProto* largest = nullptr;
    for (const auto& attribute : node_.attribute()) {
      if (!attribute.has_g()) continue;
      if (largest == nullptr || attribute.g().node_size() > largest->g().node_size()) largest = &attribute;
    }
    evaluation_.warn(fmt::format("node '{}' (If): {} is taken, which has the most nodes ({})", full_name(),
                                 largest->name(), largest->g().node_size()));
    take(largest->g());
  }

  /// A branch that was followed and taken back.
  struct Branch {
    const char* attribute;
    const onnx::GraphProto& graph;
    std::vector<std::int64_t> outputs;
    std::int64_t macs = 0;
    std::vector<Tensor> results = {};
    GraphEvaluation::Written written = {};

    bool fails() const { return has_errors(written.problems); }
    bool is_better_than(const Branch& first) const {
      return fails() != first.fails() ? first.fails() : macs > first.macs;
    }
  };

  Branch follow(const onnx::GraphProto& graph, const char* attribute) {
    const auto before = evaluation_.progress();
    Branch branch{attribute, graph, run_branch(graph)};
    const Network& network = evaluation_.network();
    for (std::size_t i = before.nodes; i < network.nodes.size(); ++i)
      branch.macs += mac_count(network, network.nodes[i]).value_or(0);
    for (const std::int64_t output : branch.outputs)
      branch.results.push_back(output >= 0 ? tensor(output) : Tensor());
    branch.written = evaluation_.take_back(before);
    return branch;
  }

  /// Which of two results it is depends on data: axes, lengths and values that differ are known at run time
  /// only.
  void put_common(int i, const Tensor& taken, const Tensor& other) {
    if (i >= node_.output_size() || node_.output(i).empty() || !taken.shape || !other.shape) return;
    const bool same_values =
        taken.values == nullptr || (other.values != nullptr && *taken.values == *other.values);
    if (*taken.shape == *other.shape && same_values) return;
    Tensor common = taken;
    common.name = full_output_name(i);
    common.values = nullptr;
    const std::string reason = fmt::format("it depends on the branch that node '{}' takes", full_name());
    if (taken.shape->size() != other.shape->size()) {
      common.shape.reset();
      common.unknown_because = reason;
    }
    for (std::size_t axis = 0; common.shape && axis < common.shape->size(); ++axis) {
      std::int64_t& length = (*common.shape)[axis];
      if (length == (*other.shape)[axis]) continue;
      length = evaluation_.given(fmt::format("{}:{}", common.name, axis));
      if (length == unknown_length) common.unknown_because = reason;
    }
    put_output(i, evaluation_.add_tensor(std::move(common)));
  }

  void take(const onnx::GraphProto& branch) { put_outputs(run_branch(branch), branch); }

  /// The tensors of its outputs, -1 for one that nothing produces.
  std::vector<std::int64_t> run_branch(const onnx::GraphProto& branch) {
    Scope inner(&scope_);
    evaluation_.run_graph(branch, inner, inside(""));
    std::vector<std::int64_t> outputs;
    for (const auto& output : branch.output()) outputs.push_back(inner.find(output.name()));
    return outputs;
  }

  void put_outputs(const std::vector<std::int64_t>& outputs, const onnx::GraphProto& branch) {
    for (int i = 0; i < node_.output_size() && i < branch.output_size(); ++i) {
      if (outputs[static_cast<std::size_t>(i)] < 0)
        throw NodeProblem(
            fmt::format("the output '{}' of the branch is produced by no node", branch.output(i).name()));
      put_output(i, outputs[static_cast<std::size_t>(i)]);
    }
  }
};

}  // namespace

bool is_control_flow(const onnx::NodeProto& node) {
  return node.op_type() == "If" || node.op_type() == "Loop" || node.op_type() == "Scan";
}

void run_control_flow(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name,
                      Scope& scope, const Surroundings& around) {
  if (node.op_type() == "If") return Branches(evaluation, node, name, scope, around).run();
  Iterations iterations(evaluation, node, name, scope, around);
  if (node.op_type() == "Loop")
    iterations.run_loop();
  else
    iterations.run_scan();
}

}  // namespace zz::core::onnx_import
