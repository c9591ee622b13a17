#include "core/input/onnx/onnx_branches.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace zz::core::onnx_import {
namespace {

using Renaming = std::map<std::string, std::string>;

std::set<std::string> tensor_names(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

void rename(std::string* name, const Renaming& renaming) {
  const auto found = renaming.find(*name);
  if (found != renaming.end()) *name = found->second;
}

void rename_tensors(onnx::GraphProto& graph, const Renaming& renaming) {
  for (auto& tensor : *graph.mutable_initializer()) rename(tensor.mutable_name(), renaming);
  for (auto& value : *graph.mutable_value_info()) rename(value.mutable_name(), renaming);
  for (auto& output : *graph.mutable_output()) rename(output.mutable_name(), renaming);
  for (auto& node : *graph.mutable_node()) {
    for (auto& input : *node.mutable_input()) rename(&input, renaming);
    for (auto& output : *node.mutable_output()) rename(&output, renaming);
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) rename_tensors(*attribute.mutable_g(), renaming);
      for (auto& inner : *attribute.mutable_graphs()) rename_tensors(inner, renaming);
    }
  }
}

const onnx::GraphProto* larger_branch(const onnx::NodeProto& node, std::string* name) {
  const onnx::GraphProto* largest = nullptr;
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    if (largest != nullptr && attribute.g().node_size() <= largest->node_size()) continue;
    largest = &attribute.g();
    *name = attribute.name();
  }
  return largest;
}

// The branch's results take the names under which the graph around it reads them; whatever else of the
// branch has a name that is taken gets a name of its own.
Renaming names_outside(const onnx::GraphProto& branch, const onnx::NodeProto& node,
                       const std::set<std::string>& taken) {
  std::set<std::string> produced;
  for (const auto& inner : branch.node()) produced.insert(inner.output().begin(), inner.output().end());
  Renaming renaming;
  for (int i = 0; i < branch.output_size() && i < node.output_size(); ++i) {
    const std::string& name = branch.output(i).name();
    if (produced.count(name) != 0 && !node.output(i).empty()) renaming.emplace(name, node.output(i));
  }
  for (const std::string& name : tensor_names(branch)) {
    if (name.empty() || taken.count(name) == 0) continue;
    std::string own = fmt::format("{}/{}", node.output_size() > 0 ? node.output(0) : node.name(), name);
    while (taken.count(own) != 0) own += "'";
    renaming.emplace(name, own);
  }
  return renaming;
}

// A result that no node of the branch produces (or that is handed on twice) is copied by a node.
void add_copies(onnx::GraphProto& branch, const onnx::NodeProto& node) {
  for (int i = 0; i < branch.output_size() && i < node.output_size(); ++i) {
    if (branch.output(i).name() == node.output(i) || node.output(i).empty()) continue;
    onnx::NodeProto* copy = branch.add_node();
    copy->set_op_type("Identity");
    copy->set_name(fmt::format("{}/result_{}", node.name(), i));
    copy->add_input(branch.output(i).name());
    copy->add_output(node.output(i));
  }
}

/// Replaces the `If` nodes of a graph from the first to the last, those of the branches too, in one pass.
class BranchInliner {
 public:
  BranchInliner(onnx::GraphProto& graph, const SourceMark& mark, Diagnostics& diagnostics)
      : graph_(graph), mark_(mark), diagnostics_(diagnostics), taken_(tensor_names(graph)) {}

  void run() {
    push(*graph_.mutable_node());
    graph_.clear_node();
    while (!open_.empty()) {
      onnx::NodeProto node = std::move(open_.back());
      open_.pop_back();
      if (node.op_type() == "If")
        open_branch(node);
      else
        graph_.add_node()->Swap(&node);
    }
  }

 private:
  /// To be looked at before the nodes that are open already.
  void push(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    for (int i = nodes.size(); i-- > 0;) open_.push_back(std::move(nodes[i]));
  }

  void open_branch(const onnx::NodeProto& node) {
    const std::string label = node.name().empty() ? fmt::format("Op{}", graph_.node_size()) : node.name();
    std::string chosen;
    const onnx::GraphProto* larger = larger_branch(node, &chosen);
    if (larger == nullptr) {
      throw InputError(
          {Diagnostic{Severity::error, mark_, fmt::format("node '{}' (If): it has no branches", label),
                      "expected are the attributes then_branch and else_branch"}});
    }
    diagnostics_.warning(mark_, fmt::format("node '{}' (If): {} is taken, which has the most nodes ({})",
                                            label, chosen, larger->node_size()));
    onnx::GraphProto branch = *larger;
    rename_tensors(branch, names_outside(branch, node, taken_));
    add_copies(branch, node);
    taken_.merge(tensor_names(branch));
    push(*branch.mutable_node());
    graph_.mutable_initializer()->MergeFrom(branch.initializer());
    graph_.mutable_value_info()->MergeFrom(branch.value_info());
    graph_.mutable_value_info()->MergeFrom(branch.output());
  }

  onnx::GraphProto& graph_;
  const SourceMark& mark_;
  Diagnostics& diagnostics_;
  std::set<std::string> taken_;
  std::vector<onnx::NodeProto> open_;  // the next one last
};

}  // namespace

void inline_branches(onnx::GraphProto& graph, const SourceMark& mark, Diagnostics& diagnostics) {
  const bool has_branches = std::any_of(graph.node().begin(), graph.node().end(),
                                        [](const onnx::NodeProto& node) { return node.op_type() == "If"; });
  if (has_branches) BranchInliner(graph, mark, diagnostics).run();
}

}  // namespace zz::core::onnx_import
