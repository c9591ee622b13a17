#pragma once
#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/input/onnx/onnx_settings.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core::onnx_import {

/// What the nodes of an ONNX file become layers by, and where problems go. Borrows all.
struct OnnxReading {
  const MappingFile& mapping;
  const OnnxSettings& settings;
  const Rules& rules;
  const SourceMark& mark;  ///< the file
  Diagnostics& diagnostics;
};

}  // namespace zz::core::onnx_import
