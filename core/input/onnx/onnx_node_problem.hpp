#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace zz::core::onnx_import {

/// A node that cannot be read. Thrown while one node is read, and turned into a diagnostic that names
/// the node, so that a file's other nodes are still looked at.
class NodeProblem : public std::runtime_error {
 public:
  explicit NodeProblem(const std::string& message, std::string hint = "")
      : std::runtime_error(message), hint_(std::move(hint)) {}
  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace zz::core::onnx_import
