#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/input/onnx/node_problem.hpp"

namespace zz::core::onnx_import {

/// What the call of a function gives the function's body: attributes by name. Borrows the model.
using CallAttributes = std::unordered_map<std::string, const onnx::AttributeProto*>;

/// The attributes of a node. Where the node stands in the body of a function, an attribute may refer to one
/// of the call. Borrows the model and the call's attributes.
class Attributes {
 public:
  Attributes(const onnx::NodeProto& node, const CallAttributes* call) : node_(node), call_(call) {}

  /// All attributes, in the order of the file; empty where it is no number, text or list of numbers.
  using Content = std::variant<std::monostate, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>>;
  std::vector<std::pair<std::string, Content>> all() const;
  /// The attribute, or nullptr when neither node nor call give it.
  const onnx::AttributeProto* find(const std::string& name) const;

  // Each gives `otherwise`, or nothing, when the attribute is absent, and throws NodeProblem when it is
  // of another type.
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  double real(const std::string& name, double otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<std::vector<std::int64_t>> integers(const std::string& name) const;

  /// Throws NodeProblem when the attribute is absent.
  std::int64_t required_integer(const std::string& name) const;

 private:
  const onnx::NodeProto& node_;
  const CallAttributes* call_;
};

}  // namespace zz::core::onnx_import
