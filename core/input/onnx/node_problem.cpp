#include "core/input/onnx/node_problem.hpp"

#include <fmt/format.h>

namespace zz::core::onnx_import {

NodeProblem below_smallest(const std::string& attribute, std::int64_t value, std::int64_t smallest) {
  return NodeProblem(fmt::format("the attribute '{}' holds {}, the smallest legal value is {}", attribute,
                                 value, smallest));
}

}  // namespace zz::core::onnx_import
