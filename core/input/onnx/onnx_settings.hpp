#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/input/onnx/operator_answer.hpp"

namespace zz::core {

/// What a pipeline says about an ONNX file.
struct OnnxSettings {
  /// Lengths that the file leaves open, by their name ("batch") or by tensor and axis ("input_ids:0").
  std::map<std::string, std::int64_t> dimensions;
  /// Bits per element in place of those that the types tell, for every layer: by operand "O" (partial
  /// sums), "W", "I" and "O_final".
  std::map<std::string, std::int64_t> operand_precision;
  /// Operator types that may stay without a cost although they multiply.
  std::set<std::string> allow_uncosted;
  /// On one core, operators that work on elements are layers, for a vector unit.
  bool vector_layers = false;
  /// Asked for nodes of operators that zz does not know; may be empty.
  onnx_import::ReadOperator read_operator = nullptr;
};

}  // namespace zz::core
