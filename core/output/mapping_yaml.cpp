#include "core/output/mapping_yaml.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "core/base/json_text.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/input/yaml/node.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"

namespace zz::core {
namespace {

/// Names as they are usual; all else in quotes, which YAML and JSON have in common.
std::string scalar(std::string_view text) {
  const auto usual = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool plain = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
                     std::all_of(text.begin(), text.end(), usual) && !yaml::parse_bool(text) &&
                     !yaml::is_null_text(text);
  return plain ? std::string(text) : json_string(text);
}

void add(std::string& text, const SpatialUnrolling& unrolling) {
  text += "  spatial_mapping:\n";
  for (const ArrayUnrolling& dimension : unrolling.dimensions) {
    std::vector<std::string> loops;
    for (const SpatialLoop& loop : dimension.loops)
      loops.push_back(json_string(fmt::format("{}, {}", loop.dimension, loop.factor)));
    text += fmt::format("    {}: [{}]\n", scalar(dimension.array_dimension), fmt::join(loops, ", "));
  }
}

void add(std::string& text, const std::vector<UnrollingHint>& hints) {
  text += "  spatial_mapping_hint:\n";
  for (const UnrollingHint& hint : hints) {
    std::vector<std::string> dimensions;
    for (const auto& dimension : hint.dimensions) dimensions.push_back(scalar(dimension));
    text += fmt::format("    {}: [{}]\n", scalar(hint.array_dimension), fmt::join(dimensions, ", "));
  }
}

void add(std::string& text, const std::vector<OperandAssignment>& assignments) {
  std::vector<std::string> entries;
  for (const OperandAssignment& one : assignments)
    entries.push_back(scalar(one.layer_operand) + ": " + scalar(one.memory_operand));
  text += fmt::format("  memory_operand_links: {{{}}}\n", fmt::join(entries, ", "));
}

void add(std::string& text, const std::vector<OrderingEntry>& ordering) {
  text += "  temporal_ordering:\n";
  for (const OrderingEntry& entry : ordering) {
    std::string size = entry.all ? "\"all\"" : "\"*\"";
    if (entry.size) size = fmt::format("{}", *entry.size);
    text += fmt::format("    - [{}, {}]\n", scalar(entry.dimension), size);
  }
}

/// In a comment: ZigZag refuses keys that it does not know.
void add(std::string& text, const std::vector<OperandCuts>& cuts) {
  std::vector<std::string> operands;
  for (const OperandCuts& operand : cuts) {
    std::vector<std::string> memories;
    for (const MemoryCut& cut : operand.memories)
      memories.push_back(fmt::format("{}: {}", scalar(cut.memory), cut.loops));
    operands.push_back(fmt::format("{}: {{{}}}", scalar(operand.operand), fmt::join(memories, ", ")));
  }
  text += fmt::format("{}{}}}\n", cuts_in_comment, fmt::join(operands, ", "));
}

void add(std::string& text, const std::vector<OperandPrecision>& precisions) {
  std::vector<std::string> entries;
  for (const OperandPrecision& one : precisions) {
    std::string type = fmt::format("{}", one.bits);
    if (one.scale.any())
      type = fmt::format("{{bits: {}, scale: {{bits: {}, every: {}{}}}}}", one.bits, one.scale.bits,
                         one.scale.every, one.scale.along.empty() ? "" : ", along: " + one.scale.along);
    entries.push_back(fmt::format("{}: {}", scalar(one.operand), type));
  }
  text += fmt::format("  operand_precision: {{{}}}\n", fmt::join(entries, ", "));
}

void add(std::string& text, const std::vector<OperandSparsity>& sparsity) {
  std::vector<std::string> entries;
  for (const OperandSparsity& one : sparsity)
    entries.push_back(one.pattern.empty()
                          ? fmt::format("{}: {{density: {}}}", scalar(one.operand), one.density)
                          : fmt::format("{}: {{pattern: {}, along: {}}}", scalar(one.operand),
                                        json_string(one.pattern), scalar(one.along)));
  text += fmt::format("  sparsity: {{{}}}\n", fmt::join(entries, ", "));
}

void add(std::string& text, const std::vector<OperandLayout>& layouts) {
  text += "  layout:\n";
  for (const OperandLayout& layout : layouts) {
    std::vector<std::string> dimensions;
    for (const auto& dimension : layout.dimensions) dimensions.push_back(scalar(dimension));
    text += fmt::format("    {}: [{}]\n", scalar(layout.operand), fmt::join(dimensions, ", "));
  }
}

void add(std::string& text, const LayerMapping& entry) {
  text += fmt::format("- name: {}\n", json_string(entry.name));
  if (!entry.spatial_mapping.dimensions.empty()) add(text, entry.spatial_mapping);
  if (!entry.spatial_hints.empty()) add(text, entry.spatial_hints);
  if (!entry.memory_operands.empty()) add(text, entry.memory_operands);
  if (!entry.temporal_ordering.empty()) add(text, entry.temporal_ordering);
  if (!entry.cuts.empty()) add(text, entry.cuts);
  if (!entry.operand_precision.empty()) add(text, entry.operand_precision);
  if (!entry.sparsity.empty()) add(text, entry.sparsity);
  if (!entry.layout.empty()) add(text, entry.layout);
  if (entry.core_allocation != LayerMapping().core_allocation)
    text += fmt::format("  core_allocation: [{}]\n", fmt::join(entry.core_allocation, ", "));
}

/// Where the operands cut the loops of the mapping; empty where the evaluation does not say which memories
/// they have, or has no loops. In a fused group operands share memories with those of other layers.
std::vector<OperandCuts> cuts_of(const Evaluation& evaluation) {
  std::vector<OperandCuts> cuts;
  const TemporalMapping& mapping = *evaluation.temporal_mapping;
  if (evaluation.accelerator == nullptr || mapping.loops.empty() || evaluation.fused) return cuts;
  const MemoryHierarchy& hierarchy = evaluation.accelerator->hierarchy();
  for (std::size_t operand = 0; operand < mapping.operands.size(); ++operand) {
    const OperandTemporalMapping& own = mapping.operands[operand];
    const int held =
        operand < evaluation.layer->operands.size()
            ? hierarchy.operand_index(evaluation.layer->memory_operand(static_cast<int>(operand)))
            : -1;
    if (held < 0 || hierarchy.levels[held].size() != own.stationary.size()) return {};
    OperandCuts made{own.operand, {}};
    for (std::size_t level = 0; level < own.stationary.size(); ++level)
      made.memories.push_back(
          {evaluation.accelerator->memories[hierarchy.levels[held][level]].name, own.stationary[level]});
    cuts.push_back(std::move(made));
  }
  return cuts;
}

}  // namespace

LayerMapping replay_entry(const Evaluation& evaluation) {
  LayerMapping entry = evaluation.layer->mapping;
  entry.name = evaluation.layer->name;
  // Those of the workload, too: the file tells what was counted.
  entry.sparsity = evaluation.layer->sparsity;
  entry.temporal_ordering.clear();
  for (const TemporalLoop& loop : evaluation.temporal_mapping->loops)
    entry.temporal_ordering.push_back({loop.dimension, loop.size, false});
  entry.cuts = cuts_of(evaluation);
  return entry;
}

std::string mapping_yaml(const std::vector<LayerMapping>& entries) {
  std::string text;
  if (std::any_of(entries.begin(), entries.end(),
                  [](const LayerMapping& one) { return !one.cuts.empty(); }))
    text =
        "# zz reads a line that begins with \"# cuts:\" as a key of the entry above; ZigZag passes it "
        "over.\n";
  for (const LayerMapping& entry : entries) add(text, entry);
  const auto is_default = [](const LayerMapping& entry) { return entry.name == "default"; };
  if (std::none_of(entries.begin(), entries.end(), is_default)) {
    LayerMapping nothing_prescribed;
    nothing_prescribed.name = "default";
    add(text, nothing_prescribed);
  }
  return text;
}

}  // namespace zz::core
