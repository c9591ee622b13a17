#pragma once
// The messages of the ONNX library. Its header reads these two names; the CMake target sets them as well,
// and setting them here keeps every header readable on its own.
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>
