#pragma once
#include <google/protobuf/arena.h>
#include <memory>
#include <string>

#include "core/diagnostics/diagnostics.hpp"
#include "core/input/onnx/onnx_proto.hpp"

namespace zz::core::onnx_import {

/// The newest operator set whose meaning of the mapped operators is known.
inline constexpr std::int64_t newest_operator_set = 24;

/// A model in a memory of its own, from which all its parts come and with which they go.
class LoadedModel {
 public:
  LoadedModel();
  onnx::ModelProto& operator*() const { return *model_; }
  onnx::ModelProto* operator->() const { return model_; }

 private:
  std::unique_ptr<google::protobuf::Arena> memory_;
  onnx::ModelProto* model_;
};

/// Loads an ONNX file and checks that it can be one: readable, complete, with a graph and an operator set
/// that is known. Tensor data that the file keeps elsewhere ("external data") are not looked at.
///
/// Throws InputError naming the file; a newer operator set than the ONNX library knows is a warning.
LoadedModel load_model(const std::string& path, Diagnostics& diagnostics);

/// Version of the standard operator set that the model declares, or 0.
std::int64_t standard_operator_set(const onnx::ModelProto& model);

}  // namespace zz::core::onnx_import
