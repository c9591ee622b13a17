#include "plugins/transformer/decoder_workload.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "plugins/transformer/distinct_layers.hpp"
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
  DistinctLayers distinct(steps.layers);
  std::unordered_map<std::string, std::uint32_t> first_named;
  DecoderStep step = first;
  for (std::int64_t i = 0; i < count; ++i, step.context += step.tokens) {
    core::Diagnostics told_before;  // the warnings of the first step
    const StepBuilder built = mapped_step(decoder, step, bits, shown, selection, rules, told_before);
    const std::string suffix = i == 0 ? "" : "/" + std::to_string(step.context);
    std::vector<DecoderSteps::Part>& parts = steps.steps.emplace_back();
    for (const StepLayer& made : built.layers) {
      const auto [index, added] = distinct.index_of(made.layer);
      if (added) {
        steps.first_like.push_back(first_named.emplace(made.layer->name, index).first->second);
        made.layer->name += suffix;
      }
      const auto same = std::find_if(parts.begin(), parts.end(),
                                     [of = index](const auto& part) { return part.layer == of; });
      if (same == parts.end())
        parts.push_back({index, times.at(made.block)});
      else
        same->times += times.at(made.block);
    }
  }
  return steps;
}

StepNetwork outline_step(const Decoder& decoder, const DecoderStep& step, const DecoderBits& bits,
                         const core::MappingFile& mapping, const core::Rules& rules,
                         core::Diagnostics& diagnostics) {
  const core::MappingSelection selection(mapping);
  std::vector<std::int64_t> shown;
  std::unordered_map<std::int64_t, std::int64_t> times = {{-1, 1}};
  core::Diagnostics told_once;
  for (const auto& [block, alike] : different_blocks(
           decoder, mapped_step(decoder, step, bits, all_blocks(decoder), selection, rules, diagnostics))) {
    shown.push_back(block);
    times[block] = alike;
  }
  StepBuilder built = mapped_step(decoder, step, bits, shown, selection, rules, told_once);
  StepNetwork outline;
  outline.network = std::move(built.workload);
  outline.network.name = decoder.name;
  for (StepLayer& made : built.layers) {
    outline.parts.push_back({made.layer, made.role, made.block, times.at(made.block)});
    outline.network.layers.push_back(std::move(made.layer));
  }
  return outline;
}

}  // namespace zz::plugins
