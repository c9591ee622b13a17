#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"

namespace zz::core::onnx_import {

/// Lengths that a file leaves open and that nobody has given.
class OpenLengths {
 public:
  /// `where`: "axis 0 of input 'x'".
  void add(const std::string& name, std::string where) { inputs_[name].push_back(std::move(where)); }

  /// One error about all of them, if there are any, with what to write.
  void report(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  std::map<std::string, std::vector<std::string>> inputs_;  // by name of the length
};

}  // namespace zz::core::onnx_import
