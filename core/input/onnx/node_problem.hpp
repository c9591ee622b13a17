#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

// The messages of ONNX files: <onnx/onnx_pb.h> has them, and takes long to compile.
namespace onnx {
class AttributeProto;
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
class SparseTensorProto;
class TensorProto;
class ValueInfoProto;
}  // namespace onnx

namespace zz::core::onnx_import {

/// A node that cannot be read. Thrown while one node is read, and turned into a diagnostic that names the
/// node, so that a file's other nodes are still looked at.
class NodeProblem : public std::runtime_error {
 public:
  explicit NodeProblem(const std::string& message, std::string hint = "")
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// The problem of a node whose attribute holds too small a value.
NodeProblem below_smallest(const std::string& attribute, std::int64_t value, std::int64_t smallest);

}  // namespace zz::core::onnx_import
