#pragma once
#include <string>
#include <unordered_set>

namespace onnx {
class ModelProto;
}

namespace zz::core::onnx_import {

/// The inputs of the network that are weights without a value: files that were exported without
/// parameters list them among the inputs. Those have fixed lengths, and every node that reads them,
/// directly or rearranged, reads them where its operator has a parameter: the second input of a convolution
/// or a product, the scale of a normalisation, the table of an embedding. Whole numbers of more than a byte
/// and truth values (masks, places, lengths) are weights only where a product multiplies them as they are,
/// or behind their scale; what operators on elements read is one only if it is a real number. There are
/// none in a file with weights of its own: an initialiser or a Constant that reaches a product through
/// nodes whose other inputs are constant as well.
std::unordered_set<std::string> parameter_inputs(const onnx::ModelProto& model);

}  // namespace zz::core::onnx_import
