#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/input/transformer/decoder.hpp"
#include "core/input/transformer/decoder_step.hpp"
#include "core/input/transformer/detail/matrix_product.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A layer of a step before it has its entry of the mapping file.
struct StepLayer {
  std::shared_ptr<Layer> layer;
  std::int64_t block = -1;  ///< -1: of no block
  std::string role;         ///< its name without the block
};

/// Puts the nodes of one step together, block by block, so that names and data flow agree. Ids are those of
/// the order in which nodes are added.
class StepBuilder {
 public:
  StepBuilder(const Decoder& decoder, const DecoderStep& step, const DecoderBits& bits)
      : decoder_(decoder), step_(step), bits_(bits) {}

  /// The step with these blocks only, in their order.
  void build(const std::vector<std::int64_t>& blocks);

  std::vector<StepLayer> layers;
  Workload workload;  ///< everything but the layers

 private:
  using Id = std::int64_t;
  /// Bits of a layer's operands and of its finished output.
  struct Widths {
    std::int64_t input, weight, output;
  };

  Id attention(Id input);
  Id plain_attention(Id input);
  Id latent_attention(Id input);
  Id expanded_attention(Id query, Id cached);
  Id absorbed_attention(Id query, Id cached);
  /// Scores, softmax and context over `heads` heads of keys that `queries` queries share.
  struct Heads {
    std::int64_t heads, queries, key_width, value_width, cache_bits;
  };
  Id attend(const Heads& heads, Id query, Id key, Id value);
  MatrixProduct over_tokens(const Heads& heads) const;
  Id with_past(const std::string& role, Id made);
  Id feed_forward(const std::string& role, Id input, const FeedForward& part);
  Id mixture(Id input);
  Id expert_group(const std::string& role, Id input, std::int64_t experts, std::int64_t tokens);

  /// A product of the new tokens with weights.
  Id project(const std::string& role, Id input, std::int64_t summed, std::int64_t columns);
  Id project(const std::string& role, Id input, std::int64_t summed, std::int64_t columns,
             const Widths& widths, std::int64_t rows);
  Id multiply(const std::string& role, const MatrixProduct& product, const Widths& widths,
              const std::vector<Id>& inputs, const std::vector<Id>& weights);
  Id pass(const std::string& role, const char* type, const std::vector<Id>& sources, double elements);
  std::string name_of(const std::string& role) const;
  void connect(Id node, const std::vector<Id>& sources);
  Widths plain_widths() const { return {bits_.activation, bits_.weight, bits_.activation}; }
  double token_elements() const;

  const Decoder& decoder_;
  const DecoderStep step_;
  const DecoderBits bits_;
  std::int64_t block_ = -1;
  Id next_ = 0;
};

}  // namespace zz::core
