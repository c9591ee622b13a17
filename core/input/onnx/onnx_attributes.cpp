#include "core/input/onnx/onnx_attributes.hpp"

#include <fmt/format.h>

#include "core/input/onnx/onnx_node_problem.hpp"

namespace zz::core::onnx_import {

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t integer_attribute(const onnx::NodeProto& node, const std::string& name,
                               std::int64_t otherwise) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return otherwise;
  if (attribute->type() != onnx::AttributeProto::INT) {
    throw NodeProblem(fmt::format("the attribute '{}' must be an integer", name));
  }
  return attribute->i();
}

std::optional<std::vector<std::int64_t>> integers_attribute(const onnx::NodeProto& node,
                                                            const std::string& name, std::size_t count,
                                                            std::int64_t smallest) {
  const onnx::AttributeProto* attribute = find_attribute(node, name);
  if (attribute == nullptr) return std::nullopt;
  if (attribute->type() != onnx::AttributeProto::INTS) {
    throw NodeProblem(fmt::format("the attribute '{}' must be a list of integers", name));
  }
  std::vector<std::int64_t> values(attribute->ints().begin(), attribute->ints().end());
  if (values.size() != count) {
    throw NodeProblem(
        fmt::format("the attribute '{}' has {} values, expected {}", name, values.size(), count));
  }
  for (const std::int64_t value : values) {
    if (value < smallest) {
      throw NodeProblem(fmt::format("the attribute '{}' holds {}, the smallest legal value is {}", name,
                                    value, smallest));
    }
  }
  return values;
}

}  // namespace zz::core::onnx_import
