#include "core/input/transformer/detail/decoder_families.hpp"

#include <algorithm>
#include <vector>

namespace zz::core {
namespace {

using Windows = DecoderFamily::Windows;

// Sources: the configurations and layers that the makers publish for each type. The test of the parameters
// of public models (tests/unit/input/transformer) holds each line to a published number.
constexpr DecoderFamily families[] = {
    {.type = "", .windows = Windows::all},
    {.type = "deepseek_v2", .latent = true},
    {.type = "deepseek_v3", .choice_bias = true, .latent = true},
    {.type = "falcon",
     .gated = false,
     .norm_bias = true,
     .block_norms = 1,
     .tied = true,
     .parallel = true,
     .four_times = true},
    {.type = "gemma", .tied = true, .head_width = 256},
    {.type = "gemma2", .block_norms = 4, .tied = true, .head_width = 256, .windows = Windows::alternating},
    {.type = "gemma3_text",
     .block_norms = 4,
     .tied = true,
     .head_norms = true,
     .head_width = 256,
     .windows = Windows::most},
    {.type = "gpt2",
     .gated = false,
     .fused = true,
     .norm_bias = true,
     .tied = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .learned_positions = true,
     .four_times = true},
    {.type = "gpt_bigcode",
     .gated = false,
     .fused = true,
     .norm_bias = true,
     .tied = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .learned_positions = true,
     .four_times = true},
    {.type = "gpt_neox",
     .gated = false,
     .fused = true,
     .norm_bias = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .parallel = true},
    {.type = "gpt_oss",
     .input_bias = true,
     .output_bias = true,
     .choice_bias = true,
     .expert_bias = true,
     .sinks = true,
     .windows = Windows::alternating},
    {.type = "kimi_k2", .choice_bias = true, .latent = true},
    {.type = "llama"},
    {.type = "mistral", .windows = Windows::all},
    {.type = "mixtral", .windows = Windows::all},
    {.type = "phi",
     .gated = false,
     .norm_bias = true,
     .block_norms = 1,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .head_bias = true,
     .parallel = true},
    {.type = "phi3", .fused = true, .windows = Windows::all},
    {.type = "qwen2", .input_bias = true, .windows = Windows::if_used},
    {.type = "qwen2_moe", .input_bias = true, .shared_gate = true, .windows = Windows::if_used},
    {.type = "qwen3", .head_norms = true, .head_width = 128, .windows = Windows::if_used},
    {.type = "qwen3_moe", .head_norms = true, .windows = Windows::if_used},
    {.type = "starcoder2",
     .gated = false,
     .norm_bias = true,
     .tied = true,
     .input_bias = true,
     .output_bias = true,
     .feed_forward_bias = true,
     .windows = Windows::all},
};

}  // namespace

const DecoderFamily* find_decoder_family(std::string_view type) {
  const auto* const found = std::find_if(std::begin(families), std::end(families),
                                         [&](const DecoderFamily& family) { return family.type == type; });
  return found == std::end(families) ? nullptr : found;
}

std::span<const std::string> decoder_types() {
  static const std::vector<std::string> types = [] {
    std::vector<std::string> all;
    for (const DecoderFamily& family : families)
      if (*family.type != '\0') all.emplace_back(family.type);
    return all;
  }();
  return types;
}

}  // namespace zz::core
