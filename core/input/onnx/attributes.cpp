#include "core/input/onnx/attributes.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace zz::core::onnx_import {
namespace {

[[noreturn]] void throw_wrong_type(const std::string& name, const char* expected) {
  throw NodeProblem(fmt::format("the attribute '{}' must be {}", name, expected));
}

Attributes::Content content_of(const onnx::AttributeProto& attribute) {
  switch (attribute.type()) {
    case onnx::AttributeProto::INT:
      return attribute.i();
    case onnx::AttributeProto::FLOAT:
      return static_cast<double>(attribute.f());
    case onnx::AttributeProto::STRING:
      return attribute.s();
    case onnx::AttributeProto::INTS:
      return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case onnx::AttributeProto::FLOATS:
      return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
    default:
      return {};
  }
}

}  // namespace

std::vector<std::pair<std::string, Attributes::Content>> Attributes::all() const {
  std::vector<std::pair<std::string, Content>> all;
  for (const auto& attribute : node_.attribute()) {
    const onnx::AttributeProto* const found = find(attribute.name());
    all.emplace_back(attribute.name(), found != nullptr ? content_of(*found) : Content());
  }
  return all;
}

const onnx::AttributeProto* Attributes::find(const std::string& name) const {
  for (const auto& attribute : node_.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.ref_attr_name().empty()) return &attribute;
    if (call_ == nullptr) return nullptr;
    const auto given = call_->find(attribute.ref_attr_name());
    return given != call_->end() ? given->second : nullptr;
  }
  return nullptr;
}

// Files of the first years do not state the type of an attribute.
std::int64_t Attributes::integer(const std::string& name, std::int64_t otherwise) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!attribute->has_i() && attribute->type() != onnx::AttributeProto::INT)
    throw_wrong_type(name, "an integer");
  return attribute->i();
}

double Attributes::real(const std::string& name, double otherwise) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!attribute->has_f() && attribute->type() != onnx::AttributeProto::FLOAT)
    throw_wrong_type(name, "a number");
  return attribute->f();
}

std::string Attributes::text(const std::string& name, const std::string& otherwise) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return otherwise;
  if (!attribute->has_s() && attribute->type() != onnx::AttributeProto::STRING)
    throw_wrong_type(name, "a text");
  return attribute->s();
}

std::optional<std::vector<std::int64_t>> Attributes::integers(const std::string& name) const {
  const onnx::AttributeProto* const attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  if (attribute->ints().empty() && attribute->type() != onnx::AttributeProto::INTS)
    throw_wrong_type(name, "a list of integers");
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::int64_t Attributes::required_integer(const std::string& name) const {
  if (find(name) == nullptr) throw NodeProblem(fmt::format("the attribute '{}' is missing", name));
  return integer(name, 0);
}

}  // namespace zz::core::onnx_import
