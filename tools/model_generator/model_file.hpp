#pragma once
#include <onnx/onnx_pb.h>
#include <string>

namespace zz::models {

/// Writes the model to a file, which appears under its name only when it is complete. Throws
/// std::runtime_error naming the file.
void write_model(const onnx::ModelProto& model, const std::string& path);

}  // namespace zz::models
