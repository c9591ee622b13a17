#include "plugins/transformer/decoder_workload.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "plugins/transformer/step_builder.hpp"

namespace zz::plugins {
namespace {

/// A step with some of its blocks, each layer with its entry of the mapping file.
StepBuilder mapped_step(const Decoder& decoder, const DecoderStep& step, const DecoderBits& bits,
                        const std::vector<std::int64_t>& blocks, const core::MappingSelection& selection,
                        const core::Rules& rules, core::Diagnostics& diagnostics) {
  StepBuilder built(decoder, step, bits);
  built.build(blocks);
  for (const StepLayer& made : built.layers) {
    std::vector<std::string> names = {made.layer->name, made.role, made.layer->type};
    if (made.layer->vector_work) names.emplace_back("vector");
    core::select_mapping(*made.layer, selection, names, rules, {}, diagnostics);
  }
  diagnostics.throw_if_errors();
  return built;
}

std::vector<std::int64_t> all_blocks(const Decoder& decoder) {
  std::vector<std::int64_t> blocks(decoder.blocks.size());
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

/// The blocks that differ, each with the number of those like it.
using BlockCounts = std::vector<std::pair<std::int64_t, std::int64_t>>;

BlockCounts different_blocks(const Decoder& decoder, const StepBuilder& step) {
  std::vector<std::vector<const core::Layer*>> layers_of(decoder.blocks.size());
  for (const StepLayer& made : step.layers)
    if (made.block >= 0) layers_of[static_cast<std::size_t>(made.block)].push_back(made.layer.get());
  const auto alike = [&](std::size_t a, std::size_t b) {
    return decoder.blocks[a] == decoder.blocks[b] &&
           std::equal(layers_of[a].begin(), layers_of[a].end(), layers_of[b].begin(), layers_of[b].end(),
                      [](const core::Layer* one, const core::Layer* other) {
                        return core::same_work(*one, *other);
                      });
  };
  BlockCounts counts;
  for (std::size_t block = 0; block < layers_of.size(); ++block) {
    const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& count) {
      return alike(static_cast<std::size_t>(count.first), block);
    });
    if (known == counts.end())
      counts.emplace_back(static_cast<std::int64_t>(block), 1);
    else
      ++known->second;
  }
  return counts;
}

/// Finds layers that do the same work without looking at each.
class DistinctLayers {
 public:
  explicit DistinctLayers(DecoderSteps& steps) : steps_(steps), layers_(steps.layers) {}

  /// The index of a layer that does the work of this one; it is added when there is none.
  std::uint32_t index_of(const std::shared_ptr<core::Layer>& layer, const std::string& suffix) {
    std::uint64_t key = 0;
    for (const core::LoopDimension& loop : layer->loops)
      key = key * 0x9e3779b97f4a7c15 + static_cast<std::uint64_t>(loop.size);
    std::vector<std::uint32_t>& likely = known_[key];
    for (const std::uint32_t index : likely)
      if (core::same_work(*layers_[index], *layer)) return index;
    likely.push_back(static_cast<std::uint32_t>(layers_.size()));
    layer->id = static_cast<std::int64_t>(layers_.size());
    steps_.first_like.push_back(first_named_.emplace(layer->name, likely.back()).first->second);
    layer->name += suffix;
    // Alone, a layer has no data from others.
    for (core::LayerOperand& operand : layer->operands) operand.sources.clear();
    layers_.push_back(layer);
    return likely.back();
  }

 private:
  DecoderSteps& steps_;
  std::vector<std::shared_ptr<const core::Layer>>& layers_;
  std::unordered_map<std::string, std::uint32_t> first_named_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known_;
};

}  // namespace

core::Workload make_decoder_workload(const Decoder& decoder, const DecoderStep& step,
                                     const DecoderBits& bits, const core::MappingFile& mapping,
                                     const core::Rules& rules, core::Diagnostics& diagnostics) {
  StepBuilder built = mapped_step(decoder, step, bits, all_blocks(decoder), core::MappingSelection(mapping),
                                  rules, diagnostics);
  core::Workload workload = std::move(built.workload);
  workload.name = decoder.name;
  for (StepLayer& made : built.layers) workload.layers.push_back(std::move(made.layer));
  return workload;
}

DecoderSteps make_decoder_steps(const Decoder& decoder, const DecoderStep& first, std::int64_t count,
                                const DecoderBits& bits, const core::MappingFile& mapping,
                                const core::Rules& rules, core::Diagnostics& diagnostics) {
  const core::MappingSelection selection(mapping);
  const BlockCounts blocks = different_blocks(
      decoder, mapped_step(decoder, first, bits, all_blocks(decoder), selection, rules, diagnostics));
  std::vector<std::int64_t> shown;
  std::unordered_map<std::int64_t, std::int64_t> times = {{-1, 1}};
  for (const auto& [block, alike] : blocks) {
    shown.push_back(block);
    times[block] = alike;
  }
  DecoderSteps steps;
  DistinctLayers distinct(steps);
  DecoderStep step = first;
  for (std::int64_t i = 0; i < count; ++i, step.context += step.tokens) {
    core::Diagnostics told_before;  // the warnings of the first step
    const StepBuilder built = mapped_step(decoder, step, bits, shown, selection, rules, told_before);
    const std::string suffix = i == 0 ? "" : "/" + std::to_string(step.context);
    std::vector<DecoderSteps::Part>& parts = steps.steps.emplace_back();
    for (const StepLayer& made : built.layers) {
      const std::uint32_t index = distinct.index_of(made.layer, suffix);
      const auto same = std::find_if(parts.begin(), parts.end(),
                                     [&](const DecoderSteps::Part& part) { return part.layer == index; });
      if (same == parts.end())
        parts.push_back({index, times.at(made.block)});
      else
        same->times += times.at(made.block);
    }
  }
  return steps;
}

}  // namespace zz::plugins
