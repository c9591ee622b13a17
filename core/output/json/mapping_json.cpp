#include "core/output/json/mapping_json.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text/number_text.hpp"
#include "core/text/text_buffer.hpp"

namespace zz::core {
namespace {

/// Sets the text to "(K, 32)".
void set_pair(TextBuffer& text, std::string_view dimension, std::string_view number) {
  text.clear();
  char* end = text.room(dimension.size() + number.size() + 4);
  *end++ = '(';
  end = TextBuffer::put(end, dimension);
  *end++ = ',';
  *end++ = ' ';
  end = TextBuffer::put(end, number);
  *end++ = ')';
  text.end_at(end);
}

std::string_view pair_text(TextBuffer& text, const TemporalLoop& loop) {
  char size[longest_number];
  set_pair(text, loop.dimension, {size, put_integer(size, loop.size)});
  return text.view();
}

std::string_view pair_text(TextBuffer& text, const UnrolledLoop& loop) {
  char factor[longest_number];
  set_pair(text, loop.dimension, {factor, put_factor(factor, loop.factor)});
  return text.view();
}

void write_levels(JsonWriter& json, const OperandSpatialMapping& operand, TextBuffer& text) {
  json.list_entry(operand.operand, [&] {
    for (const auto& loops : operand.levels) {
      json.list([&] {
        for (const UnrolledLoop& loop : loops) json.value(pair_text(text, loop));
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
    TextBuffer text;
    std::vector<const OperandSpatialMapping*> written;
    const auto write = [&](const OperandSpatialMapping& operand) {
      if (std::find(written.begin(), written.end(), &operand) != written.end()) return;
      written.push_back(&operand);
      write_levels(json, operand, text);
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
  TextBuffer text;
  json.map([&] {
    for (const OperandTemporalMapping& operand : mapping.operands) {
      json.list_entry(operand.operand, [&] {
        int first = 0;
        for (const int cut : operand.stationary) {
          json.list([&] {
            for (int loop = first; loop < cut; ++loop) json.value(pair_text(text, mapping.loops.at(loop)));
          });
          first = cut;
        }
      });
    }
  });
}

}  // namespace zz::core
