#include "plugins/transformer/decoder_config.hpp"

#include <doctest/doctest.h>
#include <string>

#include "tests/unit/transformer/public_models.hpp"
#include "tests/unit/worlds/texts.hpp"

namespace {

using namespace zz::core;
using namespace zz::plugins;

Decoder decoder_of(const std::string& config) {
  Diagnostics diagnostics;
  return read_decoder("", config, diagnostics);
}

std::string decoder_errors(const std::string& config) {
  return zz::test::errors_of([&] { decoder_of(config); });
}

const std::string small =
    "{hidden_size: 64, num_hidden_layers: 4, num_attention_heads: 4, intermediate_size: "
    "96, vocab_size: 100}";

std::string small_with(const std::string& more) {
  return small.substr(0, small.size() - 1) + ", " + more + "}";
}

std::string windows_of(const Decoder& decoder) {
  std::string text;
  for (const DecoderBlock& block : decoder.blocks) text += std::to_string(block.window) + " ";
  return text;
}

TEST_CASE("decoders: the parameters of public models are those that were published") {
  for (const zz::test::PublicModel& model : zz::test::public_models()) {
    INFO(model.name);
    CHECK(parameters_of(decoder_of(model.config)) == model.parameters);
  }
}

TEST_CASE("decoders: bytes of the caches follow from heads, latent vectors and windows") {
  const auto elements = [](const char* name, std::int64_t context) {
    for (const zz::test::PublicModel& model : zz::test::public_models())
      if (model.name == name) return cached_elements(decoder_of(model.config), context);
    return 0.0;
  };
  CHECK(elements("Llama-2-7B", 1) == 2 * 32 * 4096);
  CHECK(elements("Llama-3-8B", 2048) == 2048.0 * 32 * 2 * 8 * 128);
  CHECK(elements("DeepSeek-V3", 100) == 100 * 61 * 576);
  CHECK(elements("Mistral-7B", 10000) == 4096.0 * 32 * 2 * 8 * 128);
  // Every other block of 42, and every sixth of 26, attends to everything.
  CHECK(elements("Gemma-2-9B", 5000) == (21 * 4096.0 + 21 * 5000.0) * 2 * 8 * 256);
  CHECK(elements("Gemma-3-1B", 1000) == (22 * 512.0 + 4 * 1000.0) * 2 * 1 * 256);
}

TEST_CASE("decoders: which blocks have a window") {
  CHECK(windows_of(decoder_of(small)) == "0 0 0 0 ");
  CHECK(windows_of(decoder_of(small_with("sliding_window: 8"))) == "8 8 8 8 ");
  CHECK(windows_of(decoder_of(small_with("model_type: llama, sliding_window: 8"))) == "0 0 0 0 ");
  CHECK(windows_of(decoder_of(small_with("model_type: gemma2, sliding_window: 8"))) == "8 0 8 0 ");
  CHECK(windows_of(decoder_of(small_with(
            "model_type: gemma3_text, sliding_window: 8, sliding_window_pattern: 3"))) == "8 8 0 8 ");
  CHECK(windows_of(decoder_of(small_with("model_type: qwen2, sliding_window: 8, max_window_layers: 3"))) ==
        "0 0 0 0 ");
  CHECK(windows_of(decoder_of(small_with("model_type: qwen2, sliding_window: 8, max_window_layers: 3, "
                                         "use_sliding_window: true"))) == "0 0 0 8 ");
  CHECK(windows_of(decoder_of(small_with(
            "model_type: llama, sliding_window: 8, layer_types: [full_attention, sliding_attention, "
            "full_attention, sliding_attention]"))) == "0 8 0 8 ");
}

TEST_CASE("decoders: which blocks have experts") {
  const auto experts = [](const std::string& more) {
    std::string text;
    const std::string keys = "num_experts: 8, num_experts_per_tok: 2, moe_intermediate_size: 32";
    for (const DecoderBlock& block : decoder_of(small_with(keys + more)).blocks)
      text += block.experts ? "e" : "-";
    return text;
  };
  CHECK(experts("") == "eeee");
  CHECK(experts(", first_k_dense_replace: 1") == "-eee");
  CHECK(experts(", moe_layer_freq: 2") == "e-e-");
  CHECK(experts(", decoder_sparse_step: 2") == "-e-e");
  CHECK(experts(", mlp_only_layers: [0, 2]") == "-e-e");
}

TEST_CASE("decoders: keys that matter are told, others passed over") {
  CHECK(decoder_errors(small_with("rope_theta: 10000.0, torch_dtype: bfloat16, layer_norm_eps: 1e-05")) ==
        "");
  CHECK(decoder_errors(small_with("hiden_size: 64")).find("unknown key 'hiden_size'") != std::string::npos);
  CHECK(decoder_errors(small_with("tie_word_embedings: true")).find("unknown key 'tie_word_embedings'") !=
        std::string::npos);
  CHECK(decoder_errors(small_with("gatde: false")).find("unknown key 'gatde'") != std::string::npos);
  CHECK(decoder_errors(small_with("linear_num_value_heads: 4")).find("unknown key") != std::string::npos);
}

TEST_CASE("decoders: what cannot be is told") {
  const auto tells = [](const std::string& config, const std::string& what) {
    const std::string errors = decoder_errors(config);
    INFO(errors);
    CHECK(errors.find(what) != std::string::npos);
  };
  tells("{hidden_size: 64}", "the key 'num_hidden_layers' is missing");
  tells("{hidden_size: 64}", "the key 'vocab_size' is missing");
  tells(small_with("model_type: lama"), "unknown model type 'lama'");
  tells(small_with("model_type: deepseek_v3"), "the key 'kv_lora_rank' is missing");
  tells(small_with("num_key_value_heads: 3"), "4 attention heads cannot share 3 heads");
  tells(small_with("num_key_value_heads: 0"), "is 0, expected is a number from 1 to");
  tells(small_with("head_dim: 1.5"), "must be a whole number");
  tells(small_with("num_experts: 2, num_experts_per_tok: 3"),
        "each token takes 3 experts, but there are 2");
  tells(small_with("layer_types: [full_attention]"), "has 1 items, but the model has 4 blocks");
  tells(small_with("sliding_window: 8, layer_types: [full_attention, full_attention, full_attention, "
                   "linear_attention]"),
        "item 3 of 'layer_types'");
  tells(small_with("layer_types: [full_attention, full_attention, full_attention, sliding_attention]"),
        "the key 'sliding_window' is missing");
  tells(
      "{hidden_size: 16777216, num_hidden_layers: 1000, num_attention_heads: 1, intermediate_size: "
      "16777216, vocab_size: 2}",
      "more than can be counted exactly");
  tells(
      "{hidden_size: 60, num_hidden_layers: 2000, num_attention_heads: 8, intermediate_size: 6, "
      "vocab_size: "
      "2}",
      "at most 1024 are possible");
  tells(
      "{hidden_size: 60, num_hidden_layers: 2, num_attention_heads: 8, intermediate_size: 6, vocab_size: "
      "2}",
      "a width of 60 cannot be shared out evenly over 8 heads");
  tells("[1, 2]", "must be a map");
}

}  // namespace

TEST_CASE("decoders: the file says the bits of numbers") {
  const auto stored = [](const std::string& more) { return decoder_of(small_with(more)).stored; };
  CHECK(stored("vocab_size: 100").type == 0);
  CHECK(stored("torch_dtype: bfloat16").type == 16);
  CHECK(stored("dtype: float32").type == 32);
  const auto quantised = [&](const std::string& text) { return stored("quantization_config: " + text); };
  const auto in_blocks = [](std::int64_t bits, std::int64_t scale, std::int64_t every) {
    return zz::core::NumberType(bits, {scale, every, ""});
  };
  // Scales of 16 bits, and zero points where the method stores them.
  CHECK(quantised("{quant_method: gptq, bits: 4, group_size: 64}").weight == in_blocks(4, 20, 64));
  CHECK(quantised("{quant_method: gptq, bits: 4, group_size: -1}").weight == zz::core::NumberType(4));
  CHECK(quantised("{quant_method: awq, bits: 4, group_size: 128, zero_point: true}").weight ==
        in_blocks(4, 20, 128));
  CHECK(quantised("{quant_method: awq, w_bit: 4, q_group_size: 128, zero_point: false}").weight ==
        in_blocks(4, 16, 128));
  CHECK(quantised("{quant_method: gptq, bits: 4}").activation.bits == 0);
  CHECK(quantised("{quant_method: bitsandbytes, load_in_4bit: true, load_in_8bit: false}").weight ==
        in_blocks(4, 32, 64));
  CHECK(quantised("{quant_method: fp8, weight_block_size: [128, 128]}").activation ==
        zz::core::NumberType(8));
  CHECK(quantised("{quant_method: mxfp4}").weight == in_blocks(4, 8, 32));
  const StoredBits groups = quantised(
      "{quant_method: compressed-tensors, config_groups: {group_0: {weights: {num_bits: 4}, "
      "input_activations: "
      "{num_bits: 8}}}, kv_cache_scheme: {num_bits: 8}}");
  CHECK(groups.weight == zz::core::NumberType(4));
  CHECK(groups.activation == zz::core::NumberType(8));
  CHECK(groups.cache == zz::core::NumberType(8));
  CHECK(quantised("{quant_method: compressed-tensors, config_groups: {group_0: {weights: {num_bits: 4, "
                  "group_size: 32, "
                  "symmetric: false}}}}")
            .weight == in_blocks(4, 20, 32));
  CHECK(quantised("{quant_method: compressed-tensors, config_groups: {group_0: {weights: {num_bits: 4, "
                  "type: float, "
                  "group_size: 16}}}}")
            .weight == in_blocks(4, 8, 16));
  CHECK(decoder_errors(small_with("quantization_config: {quant_method: awq, bits: 4, group_size: -3}"))
            .find("is -3, expected are weights that share a scale") != std::string::npos);
  CHECK(decoder_errors(small_with("torch_dtype: bfloat61")).find("unknown 'torch_dtype' 'bfloat61'") !=
        std::string::npos);
  CHECK(decoder_errors(small_with("quantization_config: {bits: 1000}"))
            .find("is 1000, expected are bits (1 to 64)") != std::string::npos);
}
