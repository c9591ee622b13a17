#include "core/writers/mapping_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace zz::core {
namespace {

void emit(YAML::Emitter& out, const SpatialUnrolling& unrolling) {
  out << YAML::Key << "spatial_mapping" << YAML::Value << YAML::BeginMap;
  for (const ArrayUnrolling& dimension : unrolling.dimensions) {
    out << YAML::Key << dimension.array_dimension << YAML::Value << YAML::Flow << YAML::BeginSeq;
    for (const SpatialLoop& loop : dimension.loops)
      out << YAML::DoubleQuoted << fmt::format("{}, {}", loop.dimension, loop.factor);
    out << YAML::EndSeq;
  }
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const std::vector<UnrollingHint>& hints) {
  out << YAML::Key << "spatial_mapping_hint" << YAML::Value << YAML::BeginMap;
  for (const UnrollingHint& hint : hints)
    out << YAML::Key << hint.array_dimension << YAML::Value << YAML::Flow << hint.dimensions;
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const std::vector<MemoryOperandLink>& links) {
  out << YAML::Key << "memory_operand_links" << YAML::Value << YAML::Flow << YAML::BeginMap;
  for (const MemoryOperandLink& link : links)
    out << YAML::Key << link.layer_operand << YAML::Value << link.memory_operand;
  out << YAML::EndMap;
}

void emit(YAML::Emitter& out, const std::vector<OrderingEntry>& ordering) {
  out << YAML::Key << "temporal_ordering" << YAML::Value << YAML::BeginSeq;
  for (const OrderingEntry& entry : ordering) {
    out << YAML::Flow << YAML::BeginSeq;
    if (entry.dimension == "*")
      out << YAML::DoubleQuoted << "*";
    else
      out << entry.dimension;
    if (entry.size)
      out << *entry.size;
    else
      out << YAML::DoubleQuoted << (entry.all ? "all" : "*");
    out << YAML::EndSeq;
  }
  out << YAML::EndSeq;
}

void emit(YAML::Emitter& out, const LayerMapping& entry) {
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << YAML::DoubleQuoted << entry.name;
  if (!entry.spatial_mapping.dimensions.empty()) emit(out, entry.spatial_mapping);
  if (!entry.spatial_hints.empty()) emit(out, entry.spatial_hints);
  if (!entry.links.empty()) emit(out, entry.links);
  if (!entry.temporal_ordering.empty()) emit(out, entry.temporal_ordering);
  out << YAML::EndMap;
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
  YAML::Emitter out;
  out << YAML::BeginSeq;
  for (const LayerMapping& entry : entries) emit(out, entry);
  const auto is_default = [](const LayerMapping& entry) { return entry.name == "default"; };
  if (std::none_of(entries.begin(), entries.end(), is_default)) {
    LayerMapping nothing_prescribed;
    nothing_prescribed.name = "default";
    emit(out, nothing_prescribed);
  }
  out << YAML::EndSeq;
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace zz::core
