#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mapping/number_type.hpp"

namespace zz::plugins {

/// Multi-head latent attention: keys and values are made of one short vector a token, which is all that is
/// cached. DeepSeek-AI, DeepSeek-V2, arXiv:2405.04434, section 2.1.
struct LatentAttention {
  std::int64_t query_rank = 0;  ///< 0: queries are not compressed
  std::int64_t cached_rank = 0;
  std::int64_t plain_width = 0;   ///< of a head's keys without rotary position
  std::int64_t rotary_width = 0;  ///< of the part with rotary position, which all heads share

  bool operator==(const LatentAttention&) const = default;
};

struct Attention {
  std::int64_t heads = 0;
  std::int64_t cached_heads = 0;  ///< heads of keys and values; as many queries share each
  std::int64_t key_width = 0;     ///< of a head's queries and keys
  std::int64_t value_width = 0;
  bool fused = false;        ///< queries, keys and values come from one product
  bool input_bias = false;   ///< of queries, keys and values
  bool output_bias = false;  ///< of the projection at the end
  bool head_norms = false;   ///< queries and keys are normalised in each head
  bool sinks = false;        ///< a parameter for each head
  std::optional<LatentAttention> latent;
};

struct FeedForward {
  std::int64_t width = 0;
  bool gated = false;  ///< three products, else two
  bool fused = false;  ///< gate and up are one product
  bool bias = false;
};

/// Experts, of which each token takes `chosen`. All are gated.
struct Experts {
  std::int64_t count = 0;  ///< 0: there are none
  std::int64_t chosen = 0;
  std::int64_t width = 0;
  std::int64_t shared_width = 0;  ///< of the experts that all tokens take, together
  bool shared_gate = false;       ///< a product weighs what the shared ones add
  bool choice_bias = false;       ///< a parameter for each expert bears on the choice
  bool bias = false;
};

struct DecoderBlock {
  std::int64_t window = 0;  ///< tokens that a token attends to, itself included; 0: all before it
  bool experts = false;     ///< instead of one feed-forward part

  bool operator==(const DecoderBlock&) const = default;
};

/// The bits of an element that a configuration tells; 0: it tells none.
struct StoredBits {
  std::int64_t type = 0;                       ///< of the type of all numbers, `torch_dtype`
  core::NumberType weight, activation, cache;  ///< of quantised numbers, `quantization_config`
  std::string type_name;                       ///< `torch_dtype` as written, such as "bfloat16"
};

/// A decoder-only transformer: embedding, blocks of attention and feed-forward parts, and a product that
/// gives the logits.
struct Decoder {
  std::string name;
  std::string model_type;  ///< of the configuration; "": it has none, and the conventions are Llama's
  std::int64_t width = 0;  ///< of a token between the blocks
  std::int64_t vocabulary = 0;
  std::int64_t most_positions = 0;  ///< tokens of a sequence that it is made for; 0: not told
  StoredBits stored;
  std::int64_t learned_positions = 0;  ///< rows of the table of positions; 0: there is none
  bool tied = false;                   ///< embedding and logits share their table
  bool head_bias = false;
  bool norm_bias = false;        ///< normalisations have a bias beside their scale
  std::int64_t block_norms = 2;  ///< normalisations of a block over the whole width
  bool parallel = false;         ///< attention and feed-forward parts of a block read the same
  Attention attention;
  FeedForward feed_forward;
  Experts experts;
  std::vector<DecoderBlock> blocks;
};

/// All trained numbers, biases and normalisations included. Exact below 2^53; read_decoder() refuses more.
double parameters_of(const Decoder& decoder);

/// Elements of keys and values that `context` tokens of one sequence leave in the caches of all blocks.
double cached_elements(const Decoder& decoder, std::int64_t context);

/// One pass through a decoder.
struct DecoderStep {
  std::int64_t batch = 1;    ///< sequences
  std::int64_t tokens = 1;   ///< new ones of each sequence
  std::int64_t context = 1;  ///< tokens of each sequence, the new ones included; at least `tokens`
  bool last_logits = false;  ///< logits of the last token of each sequence only, else of all new ones
  /// Latent attention only: the matrices that make keys and values of the cached vectors are applied to
  /// queries and results instead, so that cached vectors are used as they are. DeepSeek-V2,
  /// arXiv:2405.04434, section 2.1.2. Else keys and values of all `context` tokens are made anew.
  bool absorbed = false;
  /// Normalisations, rotary positions, softmax, activations and additions are layers, for a vector unit.
  bool vector_layers = false;
  /// Experts that the tokens of a step need, of each mixture; 0: as many as on average.
  std::int64_t experts = 0;

  bool operator==(const DecoderStep&) const = default;
};

/// Bits of an element, and of the scale of a block of them. Assumed ones give way to those of an
/// accelerator's units.
struct ElementBits {
  std::int64_t bits = 0;
  bool assumed = false;
  core::BlockScale scale;
  bool scale_assumed = false;  ///< nobody but the model's file says it

  ElementBits(std::int64_t number, bool is_assumed = false) : bits(number), assumed(is_assumed) {}
  ElementBits(const core::NumberType& type, bool is_assumed = false)
      : bits(type.bits), assumed(is_assumed), scale(type.scale) {}
};
struct DecoderBits {
  ElementBits weight = 8;
  ElementBits activation = 8;
  ElementBits cache = 8;  ///< keys and values
  ElementBits partial_sum = 32;
};

}  // namespace zz::plugins
