#include "core/cost/score_key.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace zz::core {
namespace {

bool is_whole(const SpatialTables& unrolling, int operands) {
  for (int index = 0; index < operands; ++index) {
    for (const auto& loops : unrolling[index].loops) {
      for (const UnrolledFactor& loop : loops)
        if (loop.factor != std::floor(loop.factor)) return false;
    }
  }
  return true;
}

}  // namespace

bool has_whole_amounts(const CostTables& tables) {
  const auto& relevancy = tables.operands[0].relevancy;
  return is_whole(tables.fractional, tables.operand_count) &&
         is_whole(tables.integral, tables.operand_count) && !tables.operands[0].has_relations &&
         std::find(relevancy.begin(), relevancy.end(), Relevancy::partially_relevant) == relevancy.end();
}

void append_score_key(const CostTables& tables, const CompactMapping& mapping, const LoopCycles& cycles,
                      std::vector<std::uint64_t>& key) {
  const auto append = [&](std::int64_t word) { key.push_back(static_cast<std::uint64_t>(word)); };
  append(cycles.total);
  if (tables.imc) append(repeats_at_units(tables, mapping, tables.imc->weight_operand));
  for (int index = 0; index < tables.operand_count; ++index) {
    const OperandTable& operand = tables.operands[index];
    const OperandCycles& times = cycles.operands[index];
    std::array<std::int64_t, max_loop_dimensions> sliding;  // iterations so far of loops that move a window
    if (operand.has_relations) sliding.fill(1);
    std::int64_t relevant = 1;
    append(times.period[0]);
    for (int level = 1, loop = 0; level <= operand.levels; ++level) {
      for (; loop < mapping.stationary[index][level - 1]; ++loop) {
        const int dimension = mapping.dimension[loop];
        if (operand.relevancy[dimension] == Relevancy::relevant) relevant *= mapping.size[loop];
        if (operand.relevancy[dimension] == Relevancy::partially_relevant)
          sliding[dimension] *= mapping.size[loop];
      }
      append(times.period[level]);
      append(times.window[level]);
      append(times.outer_relevant[level]);
      append(relevant);
      if (!operand.has_relations) continue;
      for (const RelationTable& relation : tables.relations) {
        if (relation.output_loop >= 0) append(sliding[relation.output_loop]);
        if (relation.filter_loop >= 0) append(sliding[relation.filter_loop]);
      }
    }
  }
}

}  // namespace zz::core
