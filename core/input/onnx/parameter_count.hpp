#pragma once
#include <cstdint>

#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// The parameters that the file holds: elements of all floating-point and quantised initialisers, and of
/// the inputs that are weights. Scales and zero points of quantisation do not count, and weights that share
/// a byte count each. A tensor in the body of a loop counts once.
std::int64_t parameter_count(const Network& network);

}  // namespace zz::core::onnx_import
