#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/compat/rules.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"
#include "plugins/transformer/decoder.hpp"

namespace zz::plugins {

/// The layers of one step, as "block3/attention/scores", with their data flow. Layers are matrix products
/// with the loops C (summed), D (rows), K (columns), and B, H, G, E for products side by side: of
/// sequences, heads of keys and values, queries of such a head, experts. Normalisations, softmax,
/// activations and additions are pass-through nodes.
///
/// * Queries that share keys are rows of one product: a key is one element of W for all of them.
/// * All `context` tokens count for each new one, as in a dense product, also those after it. Where a
/// window
///   ends before the first token, scores and context are banded: token D + K of W goes with row D.
/// * Tokens are shared out over experts as if each chose by chance, so that of n experts
///   n * (1 - (1 - chosen / n)^tokens) are needed on average. That number is rounded, and the tokens that
///   they get differ by at most one.
///
/// The mapping entry of a layer may be called by its name, by its name without the block, or "MatMul".
/// Throws InputError for a layer that is too large to count.
core::Workload make_decoder_workload(const Decoder& decoder, const DecoderStep& step,
                                     const DecoderBits& bits, const core::MappingFile& mapping,
                                     const core::Rules& rules, core::Diagnostics& diagnostics);

/// Several steps, one after the other, as their distinct layers.
struct DecoderSteps {
  std::vector<std::shared_ptr<const core::Layer>> layers;  ///< no two do the same work
  /// The first layer, for each, that has its place in a step, with another context.
  std::vector<std::uint32_t> first_like;
  struct Part {
    std::uint32_t layer = 0;  ///< index into `layers`
    std::int64_t times = 0;   ///< number of layers of the step that do this work
  };
  std::vector<std::vector<Part>> steps;
};

/// `count` steps like `first`, with a context that grows by `first.tokens` from each to the next. The
/// layers of step i are the layers of make_decoder_workload() for its context, and in number as many.
DecoderSteps make_decoder_steps(const Decoder& decoder, const DecoderStep& first, std::int64_t count,
                                const DecoderBits& bits, const core::MappingFile& mapping,
                                const core::Rules& rules, core::Diagnostics& diagnostics);

/// A layer of a step, for all blocks that are alike.
struct StepPart {
  std::shared_ptr<core::Layer> layer;
  std::string role;         ///< its name without the block
  std::int64_t block = -1;  ///< the first of the blocks; -1: of no block
  std::int64_t times = 1;   ///< number of blocks
};

/// A step with the first of each kind of block: its network, and what each layer of it stands for.
struct StepNetwork {
  core::Workload network;
  std::vector<StepPart> parts;  ///< in the order of the network's layers
};

/// The layers are those of make_decoder_workload(), and in number as many.
StepNetwork outline_step(const Decoder& decoder, const DecoderStep& step, const DecoderBits& bits,
                         const core::MappingFile& mapping, const core::Rules& rules,
                         core::Diagnostics& diagnostics);

}  // namespace zz::plugins
