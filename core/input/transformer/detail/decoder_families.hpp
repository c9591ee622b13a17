#pragma once
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// What the models of a type have in common and their configuration files do not say.
struct DecoderFamily {
  enum class Windows {
    none,         ///< all blocks attend to all tokens, whatever the file says
    all,          ///< a window that is given holds for all blocks
    if_used,      ///< Qwen: with `use_sliding_window`, for the blocks from `max_window_layers` on
    alternating,  ///< for every other block, beginning with the first
    most,         ///< for all but every `sliding_window_pattern`-th block
  };
  const char* type;    ///< `model_type`
  bool gated = true;   ///< the feed-forward part
  bool fused = false;  ///< queries, keys and values, and gate and up
  bool norm_bias = false;
  int block_norms = 2;
  bool tied = false;  ///< unless the file says otherwise, as the three that follow
  bool input_bias = false;
  bool output_bias = false;
  bool feed_forward_bias = false;
  bool head_bias = false;
  bool head_norms = false;
  bool learned_positions = false;
  bool parallel = false;
  bool four_times = false;  ///< the feed-forward part is four times as wide, unless the file says it
  bool shared_gate = false;
  bool choice_bias = false;
  bool expert_bias = false;
  bool sinks = false;
  bool latent = false;
  int head_width = 0;  ///< of the heads, where the file may leave it out; 0: width / heads
  Windows windows = Windows::none;
};

/// nullptr when the type is unknown. The empty type has Llama's conventions, with a window if one is given.
const DecoderFamily* find_decoder_family(std::string_view type);

/// The known types, for messages.
std::span<const std::string> decoder_types();

}  // namespace zz::core
