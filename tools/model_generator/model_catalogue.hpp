#pragma once
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace zz::models {

/// ResNet-18 for images of 224 x 224, batch normalisation folded into the convolutions: 1.81 GMACs.
onnx::ModelProto make_resnet18();
/// ResNet-50 for images of 224 x 224, batch normalisation folded, strides in the 3 x 3 convolutions: 4.09
/// GMACs.
onnx::ModelProto make_resnet50();
/// MobileNetV2 (width 1.0) for images of 224 x 224, batch normalisation folded: 0.30 GMACs.
onnx::ModelProto make_mobilenet_v2();
/// AlexNet in one tower for images of 224 x 224, without the response normalisation: 0.71 GMACs.
onnx::ModelProto make_alexnet();
/// Two transformer encoder layers: 128 positions of 256 features, 4 heads, feed-forward of 1024: 0.22
/// GMACs.
onnx::ModelProto make_transformer_encoder();
/// The same with tables of words and positions, batch and sequence left open.
onnx::ModelProto make_bert_encoder();
/// Three convolutions and a product in bytes, with QuantizeLinear and DequantizeLinear: 15.0 MMACs.
onnx::ModelProto make_quantised_cnn();
/// Two layers of a decoder with the proportions of Llama, float16; batch, sequence and past left open.
onnx::ModelProto make_llama_decoder();

/// A network with the name under which the program knows it; its file is "<name>.onnx".
struct CatalogueEntry {
  std::string name;
  std::string summary;
  onnx::ModelProto (*make)();
  bool has_open_lengths = false;
};

const std::vector<CatalogueEntry>& catalogue();

}  // namespace zz::models
