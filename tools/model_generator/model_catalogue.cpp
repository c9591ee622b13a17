#include "tools/model_generator/model_catalogue.hpp"

namespace zz::models {

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> entries = {
      {"resnet18", "ResNet-18, 224 x 224, 1.81 GMACs", make_resnet18},
      {"resnet50", "ResNet-50, 224 x 224, 4.09 GMACs", make_resnet50},
      {"mobilenet_v2", "MobileNetV2, 224 x 224, 0.30 GMACs", make_mobilenet_v2},
      {"alexnet", "AlexNet, one tower, 224 x 224, 0.71 GMACs", make_alexnet},
      {"transformer_encoder", "2 encoder layers, 128 positions, 256 features, 4 heads, 0.22 GMACs",
       make_transformer_encoder},
      {"bert_encoder", "the same with words as inputs, batch and sequence left open", make_bert_encoder,
       true},
      {"quantised_cnn", "4 layers of bytes with QuantizeLinear and DequantizeLinear, 32 x 32",
       make_quantised_cnn},
      {"llama_decoder", "2 decoder layers with a cache, batch, sequence and past left open",
       make_llama_decoder, true},
  };
  return entries;
}

}  // namespace zz::models
