#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/given_inputs.hpp"
#include "core/input/onnx/operator_node.hpp"

namespace zz::core::onnx_import {

/// The lengths that a file leaves open: which of them the user gave, and which nobody did.
class OpenLengths {
 public:
  /// Works out all expressions.
  OpenLengths(const Dimensions& dimensions, const onnx::GraphProto& graph);

  /// The length that was given for an open one, or unknown_length. Of `a + b`, as exporters call a length,
  /// that of both; of a name for which a pattern with `*` stands, that of the first pattern.
  std::int64_t given(const std::string& name);
  /// The same for a name that is perhaps none of an open length.
  std::int64_t given_if_meant(const std::string& name);
  /// Nobody gave it. `where`: "axis 0 of input 'x'".
  void add(const std::string& name, const std::string& where);

  /// An error about each expression that means no length, and one about all that nobody gave, if there are
  /// any, with what to write.
  void report(const SourceMark& mark, Diagnostics& diagnostics) const;
  /// An error about each name of `dimensions` that was never asked for.
  void report_unused(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  struct Problem {
    std::string message, hint;
  };

  std::map<std::string, std::int64_t> lengths_;  // that were given
  std::vector<Problem> problems_;
  std::map<std::string, std::vector<std::string>> inputs_;  // that nobody gave, by name of the length
  std::unordered_set<std::string> used_, known_;

  std::int64_t given_sum(const std::string& name);
};

}  // namespace zz::core::onnx_import
