#pragma once
#include <string>
#include <unordered_set>

#include "core/input/onnx/node_problem.hpp"

namespace zz::core::onnx_import {

/// The inputs of the network that are weights without a value: files that were exported without
/// parameters list them among the inputs. Those have fixed lengths, and every node that reads them,
/// directly or rearranged, reads them where its operator has a parameter: the second input of a convolution
/// or a product, the scale of a normalisation, the table of an embedding.
std::unordered_set<std::string> parameter_inputs(const onnx::ModelProto& model);

}  // namespace zz::core::onnx_import
