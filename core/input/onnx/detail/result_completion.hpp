#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// The lengths that a file leaves open: which of them the user gave, and which nobody did.
class OpenLengths {
 public:
  /// `dimensions` must live as long.
  explicit OpenLengths(const Dimensions& dimensions) : dimensions_(dimensions) {}

  /// The length that was given for an open one, or unknown_length. Of `a + b`, as exporters call a length,
  /// that of both; of a name for which a pattern with `*` stands, that of the first pattern.
  std::int64_t given(const std::string& name);
  /// The same for a name that is perhaps none of an open length.
  std::int64_t given_if_meant(const std::string& name);
  /// Nobody gave it. `where`: "axis 0 of input 'x'".
  void add(const std::string& name, const std::string& where);

  /// One error about all that nobody gave, if there are any, with what to write.
  void report(const SourceMark& mark, Diagnostics& diagnostics) const;
  /// An error about each name of `dimensions` that was never asked for.
  void report_unused(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  const Dimensions& dimensions_;
  std::map<std::string, std::vector<std::string>> inputs_;  // that nobody gave, by name of the length
  std::unordered_set<std::string> used_, known_;

  std::int64_t given_sum(const std::string& name);
};

/// Types and shapes that a file states of the tensors of its outermost graph. Borrows the graph.
class StatedShapes {
 public:
  /// With `count` they are preferred to what follows.
  StatedShapes(const onnx::GraphProto& graph, bool count);

  /// Fills in the type and the lengths of a tensor that are unknown, as far as they are stated. `given` is
  /// the length that the user gives under a name, or unknown_length.
  void fill_in(Tensor& tensor, const std::function<std::int64_t(const std::string&)>& given) const;

  /// Gives a tensor the lengths that are stated. Its values are dropped where they are no longer as many.
  void prefer(Tensor& tensor);

  /// Notes a tensor whose shape is known, if another one is stated.
  void compare(const Tensor& tensor);
  /// Notes another contradiction.
  void note(std::string contradiction) { contradictions_.push_back(std::move(contradiction)); }

  /// One warning about all that were noted.
  void warn(const SourceMark& mark, Diagnostics& diagnostics) const;

 private:
  std::unordered_map<std::string, const onnx::ValueInfoProto*> stated_;
  bool count_;
  std::vector<std::string> contradictions_;
};

/// What holds for the results of every operator once it has told their types and shapes: whether they are
/// constant, the type in which memories hold them, and lengths that only the file or the user states.
class ResultCompletion {
 public:
  /// The references must live as long. With `stated_count` a stated shape is preferred.
  ResultCompletion(Network& network, OpenLengths& lengths, StatedShapes& stated, bool stated_count)
      : network_(network), lengths_(lengths), stated_(stated), stated_count_(stated_count) {}

  void complete(const NetworkNode& node) const;
  /// Lengths of a tensor that are not known otherwise.
  void fill_in_lengths(Tensor& tensor) const;

 private:
  Network& network_;
  OpenLengths& lengths_;
  StatedShapes& stated_;
  bool stated_count_;
};

}  // namespace zz::core::onnx_import
