#pragma once
#include "core/input/onnx/operators/operator.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Asks a chain of stages about nodes of operators that zz does not know. The chain finds the node in its
/// context under "operator", and answers with the extra of its one result; the README of
/// sdk/examples/custom_operator describes both. A chain that ends without a result does not know the
/// operator either.
///
/// The chain and the context must live as long. Throws Error for an answer that cannot be read.
core::onnx_import::ReadOperator asking(const Chain& readers, Value ctx);

}  // namespace zz::plugins
