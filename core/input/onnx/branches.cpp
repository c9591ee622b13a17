#include "core/input/onnx/branches.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <utility>
#include <vector>

#include "core/input/onnx/followed_node.hpp"

namespace zz::core::onnx_import {
namespace {

/// Runs one If.
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
      branch.macs += mac_count(network, network.nodes[i]);
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

void run_if(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name, Scope& scope,
            const Surroundings& around) {
  Branches(evaluation, node, name, scope, around).run();
}

}  // namespace zz::core::onnx_import
