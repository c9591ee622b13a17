#pragma once
#include <cstdint>

namespace zz::core {

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

  bool operator==(const DecoderStep&) const = default;
};

/// Bits of an element.
struct DecoderBits {
  std::int64_t weight = 8;
  std::int64_t activation = 8;
  std::int64_t cache = 8;  ///< keys and values
  std::int64_t partial_sum = 32;
};

}  // namespace zz::core
