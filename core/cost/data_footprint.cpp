#include "core/cost/data_footprint.hpp"

#include "core/cost/decoupling.hpp"
#include "core/cost/rounding.hpp"

namespace zz::core {
namespace {

int first_loop(const CompactMapping& mapping, int operand, int architecture_level) {
  return architecture_level > 1 ? mapping.stationary[operand][architecture_level - 2] : 0;
}

int last_loop(const CompactMapping& mapping, int operand, int architecture_level) {
  return architecture_level > 0 ? mapping.stationary[operand][architecture_level - 1] : 0;
}

}  // namespace

DataFootprint::DataFootprint(const CostTables& tables, const SpatialTables& unrolling,
                             const CompactMapping& mapping, const LoopCycles& cycles) {
  follow_partial_sums(tables, unrolling[0], mapping);
  for (int index = 0; index < tables.operand_count; ++index) {
    const int levels = tables.operands[index].levels;
    measure(tables, index, unrolling[index], mapping, levels);
    OperandData& data = operands[index];
    for (int level = 0; level <= levels; ++level) {
      const auto replaced = static_cast<double>(cycles.operands[index].outer_relevant[level]);
      data.effective_bits[level] = std::floor(data.bits[level] / replaced);
    }
  }
}

DataFootprint DataFootprint::of_operand(const CostTables& tables, const SpatialTables& unrolling,
                                        const CompactMapping& mapping, int operand, int highest_level) {
  DataFootprint held;
  if (tables.operands[operand].output) held.follow_partial_sums(tables, unrolling[0], mapping);
  held.measure(tables, operand, unrolling[operand], mapping, highest_level);
  return held;
}

void DataFootprint::follow_partial_sums(const CostTables& tables, const SpatialTable& unrolling,
                                        const CompactMapping& mapping) {
  const OperandTable& output = tables.operands[0];
  std::array<double, max_memory_levels> irrelevant;
  std::array<bool, max_memory_levels> accumulates;
  Decoupling decoupling(tables);
  for (int level = 0; level <= output.levels; ++level) {
    irrelevant[level] = 1;
    accumulates[level] = false;
    const auto take = [&](int dimension, double size) {
      switch (output.relevancy[dimension]) {
        case Relevancy::partially_relevant:
          size = decoupling.split(dimension, size).irrelevant;
          break;
        case Relevancy::irrelevant:
          break;
        default:
          return;
      }
      irrelevant[level] *= size;
      accumulates[level] = accumulates[level] || size > 1;
    };
    for (int loop = first_loop(mapping, 0, level); loop < last_loop(mapping, 0, level); ++loop) {
      take(mapping.dimension[loop], static_cast<double>(mapping.size[loop]));
    }
    for (const UnrolledFactor& loop : unrolling.loops[level]) take(loop.dimension, loop.factor);
  }
  bool above = false;
  for (int level = output.levels; level >= 0; --level) {
    partial_sum[level] = level < output.levels && above;
    above = above || accumulates[level];
    accumulations[level] = 1;
    for (int outer = level; outer <= output.levels; ++outer) accumulations[level] *= irrelevant[outer];
  }
  accumulations[output.levels + 1] = 1;
  accumulations[output.levels + 2] = 1;
}

void DataFootprint::measure(const CostTables& tables, int index, const SpatialTable& unrolling,
                            const CompactMapping& mapping, int highest_level) {
  const OperandTable& operand = tables.operands[index];
  OperandData& data = operands[index];
  Decoupling decoupling(tables);
  double product = 1;
  for (int level = 0; level <= highest_level; ++level) {
    if (level > 0) {
      double relevant = 1;
      const auto take = [&](int dimension, double size) {
        switch (operand.relevancy[dimension]) {
          case Relevancy::partially_relevant:
            relevant *= decoupling.split(dimension, size).relevant;
            break;
          case Relevancy::relevant:
            relevant *= size;
            break;
          default:
            break;
        }
      };
      for (int loop = first_loop(mapping, index, level); loop < last_loop(mapping, index, level); ++loop) {
        take(mapping.dimension[loop], static_cast<double>(mapping.size[loop]));
      }
      // Units of the level below hold different parts: their unrolling belongs to this level's data.
      for (const UnrolledFactor& loop : unrolling.loops[level - 1]) take(loop.dimension, loop.factor);
      product *= relevant;
    }
    data.elements[level] = round_half_even(product);
    const bool finished = operand.output && !partial_sum[level];
    data.precision[level] = static_cast<double>(finished ? operand.final_precision : operand.precision);
    data.bits[level] = data.elements[level] * data.precision[level];
  }
}

}  // namespace zz::core
