#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_graph.hpp"

namespace zz::core::onnx_import {

/// Length of each axis of a tensor.
using Shape = std::vector<std::int64_t>;

/// The shapes of a model's tensors: those that the file gives count; what it leaves open is inferred by
/// the ONNX library. A batch size that is left open (first axis of an input of the network) is 1.
class TensorShapes {
 public:
  /// Runs the inference when a node's output lacks its shape; `model` then carries inferred shapes too. Has
  /// a child process meanwhile (onnx_inference.hpp). An open batch size is a warning, and so is a shape
  /// that is stated twice, differently (the first counts). Attributes and data that the inference would
  /// divide by or read beyond their end are errors. Never throws on account of the model.
  TensorShapes(onnx::ModelProto& model, const SourceMark& mark, Diagnostics& diagnostics);

  /// The complete shape. Throws NodeProblem saying which tensor or axis is unknown and what would help.
  /// An unknown first axis reads 1.
  Shape require(const std::string& tensor) const;
  /// The complete shape if it is known, else nothing (an empty shape is a scalar).
  const Shape* find(const std::string& tensor) const;
  /// Number of elements, an unknown first axis counting 1; 0 when the shape is unknown. The largest
  /// std::int64_t stands for any number beyond it.
  std::int64_t elements(const std::string& tensor) const;
  /// The same for all outputs of a node.
  std::int64_t output_elements(const onnx::NodeProto& node) const;

 private:
  struct Entry {
    Shape axes;                        // 0: unknown
    std::vector<std::string> symbols;  // names of unknown axes, or empty; none when all axes are known
    bool complete() const;
  };

  void fix_batch_size(onnx::GraphProto& graph, const SourceMark& mark, Diagnostics& diagnostics);
  void collect(const onnx::GraphProto& graph, const SourceMark& mark, Diagnostics& diagnostics);
  void add(const onnx::ValueInfoProto& value, const SourceMark& mark, Diagnostics& diagnostics);
  void compare(const std::string& name, const Shape& first, const Shape& other, const SourceMark& mark,
               Diagnostics& diagnostics);
  bool needs_inference(const onnx::GraphProto& graph) const;
  std::string advice() const;

  std::unordered_map<std::string, Entry> entries_;
  std::unordered_map<std::string, std::int64_t> symbol_values_;
  std::unordered_set<std::string> contradicted_;  // stated twice, differently
  std::string inference_failure_;                 // why the inference did not finish, or empty
  bool inference_possible_ = true;
};

}  // namespace zz::core::onnx_import
