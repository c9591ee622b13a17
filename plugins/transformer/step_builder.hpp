#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/workload/layer.hpp"
#include "core/workload/workload.hpp"
#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// The tokens that go to the experts of a mixture.
struct ExpertLoad {
  std::int64_t experts = 0;        ///< that are needed
  std::int64_t tokens = 0;         ///< of each but some
  std::int64_t with_one_more = 0;  ///< experts that get one more than `tokens`
};

/// The number of experts that `tokens` tokens need on average when each takes `chosen` different ones of
/// `count` by chance: count * (1 - (1 - chosen / count)^tokens).
double expected_experts(std::int64_t count, std::int64_t chosen, std::int64_t tokens);

/// The load of that number of experts, rounded, or of `needed` ones if that is not 0; all tokens times
/// `chosen` are shared out as evenly as can be.
ExpertLoad expert_load(std::int64_t count, std::int64_t chosen, std::int64_t tokens,
                       std::int64_t needed = 0);

/// A product of a matrix I of `rows` times `summed` with a matrix W of `summed` times `columns`, and as
/// many side by side as `batch` says.
struct MatrixProduct {
  std::int64_t rows = 1, columns = 1, summed = 1;
  struct Axis {
    const char* name;
    std::int64_t size = 1;
    bool of_weights = true;  ///< W has this axis, too; else it is the same along it
  };
  std::vector<Axis> batch;

  /// A banded product: row D uses the `columns` or `summed` (which of them is `band`, "K" or "C") rows of W
  /// from D on. W has `band_tokens` of them; those before its first and after its last are padding.
  std::string band;
  std::int64_t band_tokens = 0;
};

/// A layer of a step before it has its entry of the mapping file.
struct StepLayer {
  std::shared_ptr<core::Layer> layer;
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
  core::Workload workload;  ///< everything but the layers

 private:
  using Id = std::int64_t;
  /// Bits of a layer's operands and of its finished output.
  struct Widths {
    ElementBits input, weight, output;
  };

  Id attention(Id input);
  Id plain_attention(Id input);
  Id latent_attention(Id input);
  Id expanded_attention(Id query, Id cached);
  Id absorbed_attention(Id query, Id cached);
  /// Scores, softmax and context over `heads` heads of keys that `queries` queries share.
  struct Heads {
    std::int64_t heads, queries, key_width, value_width;
    ElementBits cache;
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

  using Shape = std::vector<std::int64_t>;
  /// The second operand of an operation on elements.
  enum class Second {
    nothing,
    scale,  ///< a parameter for each element of a row
    tensor  ///< the second source, of the same shape
  };
  /// Work on the elements of a tensor: a layer if these are asked for, else a pass-through node.
  Id work_on(const std::string& role, const char* type, const std::vector<Id>& sources, const Shape& shape,
             Second second, ElementBits bits);
  Id work_on(const std::string& role, const char* type, const std::vector<Id>& sources, const Shape& shape,
             Second second = Second::nothing) {
    return work_on(role, type, sources, shape, second, bits_.activation);
  }
  /// Only a vector unit needs to know of these: else the source itself.
  Id only_as_layer(const std::string& role, const char* type, Id source, const Shape& shape, Second second,
                   ElementBits bits) {
    return step_.vector_layers ? work_on(role, type, {source}, shape, second, bits) : source;
  }
  Id add_layer(std::shared_ptr<core::Layer> layer, const std::string& role, const std::vector<Id>& inputs,
               const std::vector<Id>& weights);
  Id activate(const std::string& role, const std::vector<Id>& sources, const Shape& shape, bool gated);
  /// The sum of so many tensors for all new tokens, which the sources hold together.
  Id add_up(const std::string& role, const std::vector<Id>& sources, std::int64_t terms);
  Shape tokens_of(std::int64_t width) const { return {step_.batch, step_.tokens, width}; }
  std::string name_of(const std::string& role) const;
  void connect(Id node, const std::vector<Id>& sources);
  Widths plain_widths() const { return {bits_.activation, bits_.weight, bits_.activation}; }

  const Decoder& decoder_;
  const DecoderStep step_;
  const DecoderBits bits_;
  std::int64_t block_ = -1;
  Id next_ = 0;
};

}  // namespace zz::plugins
