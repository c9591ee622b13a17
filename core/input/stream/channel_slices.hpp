#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/onnx_proto.hpp"

namespace zz::core {

/// Cuts constant tensors of an ONNX graph into slices along one axis.
class ChannelSlices {
 public:
  /// Slices are added to `graph`, which must outlive this.
  explicit ChannelSlices(onnx::GraphProto& graph) : graph_(graph) {}

  /// Length of an axis of a constant tensor (an initializer, or a weight that is listed as an input);
  /// negative axes count from the end. 0 when there is no such tensor or axis.
  std::int64_t length(const std::string& tensor, int axis) const;
  /// Adds the slices, "<tensor>_split_0" and so on, and returns their names. The length of the axis must be
  /// a multiple of `pieces`.
  std::vector<std::string> cut(const std::string& tensor, int axis, std::int64_t pieces);
  /// Removes the tensors that were cut and that no node reads any more.
  void remove_unused();

 private:
  const onnx::TensorProto* initializer(const std::string& name) const;
  const onnx::ValueInfoProto* input(const std::string& name) const;

  onnx::GraphProto& graph_;
  std::vector<std::string> cut_;
};

}  // namespace zz::core
