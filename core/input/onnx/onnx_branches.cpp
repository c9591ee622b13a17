#include "core/input/onnx/onnx_branches.hpp"

#include <fmt/format.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>

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

void inline_branch(onnx::GraphProto& graph, int position, const SourceMark& mark,
                   Diagnostics& diagnostics) {
  const onnx::NodeProto node = graph.node(position);
  const std::string label = node.name().empty() ? fmt::format("Op{}", position) : node.name();
  std::string chosen;
  const onnx::GraphProto* larger = larger_branch(node, &chosen);
  if (larger == nullptr) {
    throw InputError(
        {Diagnostic{Severity::error, mark, fmt::format("node '{}' (If): it has no branches", label),
                    "expected are the attributes then_branch and else_branch"}});
  }
  diagnostics.warning(mark, fmt::format("node '{}' (If): {} is taken, which has the most nodes ({})", label,
                                        chosen, larger->node_size()));
  onnx::GraphProto branch = *larger;
  rename_tensors(branch, names_outside(branch, node, tensor_names(graph)));
  add_copies(branch, node);

  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (int i = 0; i < graph.node_size(); ++i) {
    if (i == position) {
      nodes.MergeFrom(branch.node());
    } else {
      nodes.Add()->Swap(graph.mutable_node(i));
    }
  }
  graph.mutable_node()->Swap(&nodes);
  graph.mutable_initializer()->MergeFrom(branch.initializer());
  graph.mutable_value_info()->MergeFrom(branch.value_info());
  graph.mutable_value_info()->MergeFrom(branch.output());
}

}  // namespace

void inline_branches(onnx::GraphProto& graph, const SourceMark& mark, Diagnostics& diagnostics) {
  for (int i = 0; i < graph.node_size();) {
    if (graph.node(i).op_type() == "If") {
      inline_branch(graph, i, mark, diagnostics);
    } else {
      ++i;
    }
  }
}

}  // namespace zz::core::onnx_import
