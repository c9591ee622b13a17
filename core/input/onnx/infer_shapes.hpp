#pragma once
#include <cstdint>
#include <string>

namespace zz::core::onnx_import {

// The boundary of libzz-onnx-inference, which is loaded only for models that lack shapes: it brings the
// ONNX library, and that takes several milliseconds. Models cross it in the bytes of an ONNX file.

/// What the inference found: a model with a graph that has only outputs and values, each with its type.
struct InferredShapes {
  std::string model;
  std::string failure;  ///< why the inference did not finish, or empty
};

using InferShapes = void(const std::string& model, InferredShapes& found);
inline constexpr const char* infer_shapes_symbol = "zz_infer_shapes";

using NewestOperatorSet = std::int64_t();
inline constexpr const char* newest_operator_set_symbol = "zz_newest_inferable_operator_set";

}  // namespace zz::core::onnx_import
