#pragma once
#include <cstdint>
#include <memory>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

#include "core/input/onnx/graph_evaluation.hpp"

namespace zz::core::onnx_import {

/// A node that the walk runs itself, because it opens a body or changes sequences of tensors: where it
/// stands, and what it reads. The references must live as long.
class FollowedNode {
 public:
  FollowedNode(GraphEvaluation& evaluation, const onnx::NodeProto& node, const std::string& name,
               Scope& scope, const Surroundings& around)
      : evaluation_(evaluation), node_(node), name_(name), scope_(scope), around_(around) {}

 protected:
  /// With the names around it.
  std::string full_name() const { return around_.prefix + name_ + around_.suffix; }
  std::string full_output_name(int output) const {
    return around_.prefix + node_.output(output) + around_.suffix;
  }

  const Tensor& tensor(std::int64_t index) const {
    return evaluation_.network().tensors[static_cast<std::size_t>(index)];
  }
  /// The integers of a tensor; nullptr when they are not known.
  const std::vector<std::int64_t>* integers(std::int64_t index) const;

  bool has_input(int i) const { return i < node_.input_size() && !node_.input(i).empty(); }
  /// Index of the tensor, or -1 for an input that is left out. Throws NodeProblem when nothing produces it.
  std::int64_t input_or_none(int i) const;

  void put_output(int i, std::int64_t index) {
    if (!node_.output(i).empty()) scope_.put(node_.output(i), index);
  }

  /// The graph that an attribute holds.
  const onnx::GraphProto& graph(const char* attribute) const;

  /// What stands in its body; `suffix` tells the times apart that the body runs, and follows those around.
  Surroundings inside(const std::string& suffix) const;

  /// A tensor of one number that is known.
  std::int64_t add_number(std::string name, ElementType type, std::int64_t value) const;

  GraphEvaluation& evaluation_;
  const onnx::NodeProto& node_;
  const std::string& name_;
  Scope& scope_;
  const Surroundings& around_;
};

}  // namespace zz::core::onnx_import
