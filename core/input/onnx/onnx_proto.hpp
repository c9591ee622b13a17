#pragma once
// The messages of ONNX files: generated for protobuf's small runtime from the description that comes with
// the ONNX library, in a namespace of our own. The library's messages live in its own libraries, which take
// longer to load than a network takes to be read.
#include "core/input/onnx/zz_onnx.pb.h"

namespace zz::core {

namespace onnx = zz::onnx_file;

}  // namespace zz::core
