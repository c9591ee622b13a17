#include "core/output/mapping_yaml.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "core/base/json_text.hpp"
#include "core/input/yaml/node.hpp"

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
  if (!entry.layout.empty()) add(text, entry.layout);
}

}  // namespace

LayerMapping replay_entry(const Evaluation& evaluation) {
  LayerMapping entry = evaluation.layer->mapping;
  entry.name = evaluation.layer->name;
  entry.temporal_ordering.clear();
  for (const TemporalLoop& loop : evaluation.temporal_mapping->loops)
    entry.temporal_ordering.push_back({loop.dimension, loop.size, false});
  return entry;
}

std::string mapping_yaml(const std::vector<LayerMapping>& entries) {
  std::string text;
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
