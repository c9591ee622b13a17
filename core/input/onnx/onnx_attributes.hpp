#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/input/onnx/onnx_proto.hpp"

namespace zz::core::onnx_import {

/// The attribute of that name, or nullptr.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, const std::string& name);

/// An integer attribute, or `otherwise` when the node has none. Throws NodeProblem when it is something
/// else than one integer.
std::int64_t integer_attribute(const onnx::NodeProto& node, const std::string& name,
                               std::int64_t otherwise);

/// An attribute that lists integers, or nothing when the node has none. Throws NodeProblem when it is
/// something else, is not of length `count`, or holds a value below `smallest`.
std::optional<std::vector<std::int64_t>> integers_attribute(const onnx::NodeProto& node,
                                                            const std::string& name, std::size_t count,
                                                            std::int64_t smallest);

}  // namespace zz::core::onnx_import
