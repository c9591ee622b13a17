#include "core/input/onnx/followed_node.hpp"

#include <fmt/format.h>
#include <utility>
#include <variant>

namespace zz::core::onnx_import {

const std::vector<std::int64_t>* FollowedNode::integers(std::int64_t index) const {
  const auto& values = tensor(index).values;
  return values ? std::get_if<std::vector<std::int64_t>>(values.get()) : nullptr;
}

std::int64_t FollowedNode::input_or_none(int i) const {
  if (!has_input(i)) return -1;
  const std::int64_t found = evaluation_.find(node_.input(i), scope_);
  if (found < 0) throw NodeProblem(fmt::format("its input '{}' is produced by no node", node_.input(i)));
  return found;
}

const onnx::GraphProto& FollowedNode::graph(const char* attribute) const {
  const onnx::AttributeProto* const found = Attributes(node_, nullptr).find(attribute);
  if (found == nullptr || !found->has_g())
    throw NodeProblem(fmt::format("the attribute '{}', which holds a graph, is missing", attribute));
  return found->g();
}

Surroundings FollowedNode::inside(const std::string& suffix) const {
  Surroundings inner = around_;
  inner.prefix += name_ + "/";
  inner.suffix += suffix;
  ++inner.depth;
  return inner;
}

std::int64_t FollowedNode::add_number(std::string name, ElementType type, std::int64_t value) const {
  Tensor number;
  number.name = std::move(name);
  number.type = number.stored = type;
  number.stored_bits = bits_of(type);
  number.shape.emplace();
  number.values = std::make_shared<const Values>(std::vector<std::int64_t>{value});
  number.constant = true;
  return evaluation_.add_tensor(std::move(number));
}

}  // namespace zz::core::onnx_import
