#include "core/input/zigzag/layer_mapping_selection.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"
#include "core/hardware/layer_sparsity.hpp"
#include "core/workload/operand_layout.hpp"

namespace zz::core {

namespace {

/// Puts the sequential loop of a layer around all others. What the entry says about it must agree.
void keep_sequence(Layer& layer, const SourceMark& mark, Diagnostics& diagnostics) {
  const int steps = layer.sequential_loop();
  if (steps < 0) return;
  const std::string& name = layer.loops[static_cast<std::size_t>(steps)].name;
  const auto refuse = [&](const char* what) {
    diagnostics.error(mark,
                      fmt::format("layer '{}': mapping entry '{}' {} {}, each iteration of which needs "
                                  "the results of the one before",
                                  layer.name, layer.mapping.name, what, name));
  };
  for (const ArrayUnrolling& array : layer.mapping.spatial_mapping.dimensions)
    for (const SpatialLoop& loop : array.loops)
      if (loop.dimension == name) refuse("unrolls");
  std::vector<OrderingEntry>& ordering = layer.mapping.temporal_ordering;
  const auto given = static_cast<std::int64_t>(ordering.size());
  while (!ordering.empty() && ordering.back().dimension == name) ordering.pop_back();
  for (const OrderingEntry& entry : ordering)
    if (entry.dimension == name) return refuse("has other loops around");
  if (ordering.empty()) ordering.push_back({"*", std::nullopt, false});
  ordering.push_back({name, std::nullopt, true});
  // One loop around takes the place of those that were given.
  const auto inner = static_cast<std::int64_t>(ordering.size()) - 1;
  std::vector<std::int64_t> kept;
  for (std::int64_t entry = 0; entry <= given; ++entry) kept.push_back(entry <= inner ? entry : inner + 1);
  layer.mapping.cuts = recounted(std::move(layer.mapping.cuts), kept);
  if (given > inner) return;
  // Cuts know nothing of it: the topmost memory, of which they speak last, holds it as well.
  for (OperandCuts& operand : layer.mapping.cuts)
    if (!operand.memories.empty() && operand.memories.back().loops == given)
      operand.memories.back().loops = inner + 1;
}

}  // namespace

MappingSelection::MappingSelection(const MappingFile& mapping) : mapping_(mapping) {
  for (const LayerMapping& entry : mapping.entries) first_of_.emplace(entry.name, &entry);
}

const LayerMapping& MappingSelection::entry_for(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (const auto found = first_of_.find(name); found != first_of_.end()) return *found->second;
  }
  return mapping_.select(names.front(), names.back());
}

std::string MappingSelection::hint_for(const std::vector<std::string>& names) const {
  std::vector<std::string> entries;
  for (const LayerMapping& entry : mapping_.entries) entries.push_back(entry.name);
  std::string near;
  for (std::size_t i = 0; i <= names.size() && near.empty(); ++i)
    near = nearest_name(i < names.size() ? names[i] : "default", entries);
  return fmt::format(
      "add '- name: {}' to the mapping file, or '- name: default' for all layers that no entry "
      "names{}",
      names.front(), near.empty() ? "" : fmt::format("; the nearest there is '{}'", near));
}

bool MappingSelection::has_entry(const std::vector<std::string>& names) const {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return first_of_.count(name) != 0; });
}

void select_mapping(Layer& layer, const MappingSelection& mapping, const Rules& rules,
                    const SourceMark& mark, Diagnostics& diagnostics) {
  select_mapping(layer, mapping, {layer.name, layer.type}, rules, mark, diagnostics);
}

void select_mapping(Layer& layer, const MappingSelection& mapping, const std::vector<std::string>& names,
                    const Rules& rules, const SourceMark& mark, Diagnostics& diagnostics) {
  try {
    layer.mapping = mapping.entry_for(names);
  } catch (const InputError& error) {
    for (const Diagnostic& problem : error.diagnostics())
      diagnostics.error(mark, problem.message, mapping.hint_for(names));
    return;
  }
  for (const OperandPrecision& said : layer.mapping.operand_precision)
    set_precision(layer, said.operand, said.type());
  for (const OperandSparsity& zeros : layer.mapping.sparsity) {
    if (const std::string wrong = sparsity_problem(layer, zeros); wrong.empty())
      set_sparsity(layer, zeros);
    else
      diagnostics.warning(mark, fmt::format("layer '{}': {}; it counts as dense", layer.name, wrong));
  }
  for (const OperandLayout& layout : layer.mapping.layout)
    if (const auto problem = find_layout_problem(layer, layout))
      diagnostics.error(mark, problem->message, problem->hint);
  std::vector<OrderingEntry> kept;
  std::vector<std::int64_t> kept_of{0};
  bool wildcard_dropped = false;
  for (const OrderingEntry& entry : layer.mapping.temporal_ordering) {
    const bool wildcard = entry.dimension == "*" && !rules.outer_wildcard_dropped;
    if (wildcard || layer.loop_index(entry.dimension) >= 0) kept.push_back(entry);
    kept_of.push_back(static_cast<std::int64_t>(kept.size()));
    wildcard_dropped = wildcard_dropped || (entry.dimension == "*" && !wildcard);
  }
  if (wildcard_dropped)
    diagnostics.warning(mark, fmt::format("layer '{}': temporal_ordering of mapping entry '{}' names *: as "
                                          "in ZigZag 3.8.5, \"*\" is dropped",
                                          layer.name, layer.mapping.name));
  layer.mapping.temporal_ordering = std::move(kept);
  layer.mapping.cuts = recounted(std::move(layer.mapping.cuts), kept_of);
  keep_sequence(layer, mark, diagnostics);
}

}  // namespace zz::core
