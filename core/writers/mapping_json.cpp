#include "core/writers/mapping_json.hpp"

#include <algorithm>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace zz::core {
namespace {

void write_levels(JsonWriter& json, const OperandSpatialMapping& operand) {
  json.list_entry(operand.operand, [&] {
    for (const auto& loops : operand.levels) {
      json.list([&] {
        for (const UnrolledLoop& loop : loops)
          json.value(fmt::format(FMT_COMPILE("({}, {})"), loop.dimension, loop.factor));
      });
    }
  });
}

/// A loop that is unrolled twice along one dimension is one key, with the latter factor.
void write_loops(JsonWriter& json, const std::vector<SpatialLoop>& loops) {
  for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
    const auto same = [&](const SpatialLoop& other) { return other.dimension == loop->dimension; };
    if (std::any_of(loops.begin(), loop, same)) continue;
    json.entry(loop->dimension, std::find_if(loops.rbegin(), loops.rend(), same)->factor);
  }
}

}  // namespace

void write_unrolling(JsonWriter& json, const SpatialUnrolling& unrolling) {
  json.map([&] {
    for (const ArrayUnrolling& dimension : unrolling.dimensions)
      json.map_entry(dimension.array_dimension, [&] { write_loops(json, dimension.loops); });
  });
}

void write_spatial_mapping(JsonWriter& json, const SpatialMapping& mapping, const Layer& layer) {
  json.map([&] {
    std::vector<const OperandSpatialMapping*> written;
    const auto write = [&](const OperandSpatialMapping& operand) {
      if (std::find(written.begin(), written.end(), &operand) != written.end()) return;
      written.push_back(&operand);
      write_levels(json, operand);
    };
    for (const MemoryOperandLink& link : layer.mapping.links) {
      const auto operand = std::find_if(mapping.operands.begin(), mapping.operands.end(),
                                        [&](const auto& one) { return one.operand == link.layer_operand; });
      if (operand != mapping.operands.end()) write(*operand);
    }
    for (const OperandSpatialMapping& operand : mapping.operands) write(operand);
  });
}

void write_temporal_mapping(JsonWriter& json, const TemporalMapping& mapping) {
  std::vector<std::string> loops;
  for (const TemporalLoop& loop : mapping.loops)
    loops.push_back(fmt::format(FMT_COMPILE("({}, {})"), loop.dimension, loop.size));
  json.map([&] {
    for (const OperandTemporalMapping& operand : mapping.operands) {
      json.list_entry(operand.operand, [&] {
        int first = 0;
        for (const int cut : operand.stationary) {
          json.list([&] {
            for (int loop = first; loop < cut; ++loop) json.value(loops.at(loop));
          });
          first = cut;
        }
      });
    }
  });
}

}  // namespace zz::core
