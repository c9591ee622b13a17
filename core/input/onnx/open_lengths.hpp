#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/tensor.hpp"

namespace zz::core::onnx_import {

/// Lengths by their name ("batch") or by tensor and axis ("input_ids:0").
using Dimensions = std::map<std::string, std::int64_t>;

/// The lengths that a file leaves open: which of them the user gave, and which nobody did.
class OpenLengths {
 public:
  /// `dimensions` must live as long.
  explicit OpenLengths(const Dimensions& dimensions) : dimensions_(dimensions) {}

  /// The length that was given for an open one, or unknown_length.
  std::int64_t given(const std::string& name);
  /// The same for a name that is perhaps none of an open length.
  std::int64_t given_if_meant(const std::string& name) {
    return dimensions_.count(name) != 0 ? given(name) : unknown_length;
  }
  /// Nobody gave it. `where`: "axis 0 of input 'x'".
  void add(const std::string& name, std::string where) { inputs_[name].push_back(std::move(where)); }

  /// One error about all that nobody gave, if there are any, with what to write.
  void report(const SourceMark& mark, Diagnostics& diagnostics) const;
  /// An error about each name of `dimensions` that was never asked for.
  void report_unused(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  const Dimensions& dimensions_;
  std::map<std::string, std::vector<std::string>> inputs_;  // that nobody gave, by name of the length
  std::unordered_set<std::string> used_, known_;
};

}  // namespace zz::core::onnx_import
