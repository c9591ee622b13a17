#pragma once
#include <string>

#include "core/output/program/layer_program.hpp"

namespace zz::core {

/// The layer as one operation of MLIR's linalg dialect, and a script of the transform dialect that tiles it
/// as its mapping does: a loop for each temporal loop, in their order, and each operand promoted into a
/// buffer where the mapping cuts the loops for it. The operation is a named one where the layer is a
/// product, a batched product or a convolution of two dimensions, else a generic one.
///
/// The first lines say, one each, what the script does not carry. Inputs are with their padding.
/// `mlir-opt --transform-interpreter` applies it.
std::string transform_text(const LayerProgram& program);

}  // namespace zz::core
