#pragma once
#include <string>
#include <vector>

#include "core/input/onnx/workload.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Names of the layers of a network that ZigZag would leave out or read otherwise
/// (Rules::onnx_operators_of_zigzag): other operators, other bits, windows whose width differs from their
/// height. `settings` are those that it was read with.
std::vector<std::string> layers_read_otherwise(const Workload& workload, const OnnxSettings& settings);
/// The same for Stream, which reads pooling, additions and multiplications as well, the first with a loop
/// too many, the others with width and height exchanged.
std::vector<std::string> layers_read_otherwise_by_stream(const Workload& workload,
                                                         const OnnxSettings& settings);

}  // namespace zz::core
