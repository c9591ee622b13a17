#include "core/cost/unrolled_units.hpp"

#include "core/cost/detail/decoupling.hpp"

namespace zz::core {

UnrolledUnits unrolled_units(const CostTables& tables, const OperandTable& operand,
                             const UnrolledLevels& loops) {
  UnrolledUnits units;
  Decoupling decoupling(tables);
  for (int level = 0; level <= operand.levels; ++level) {
    units.relevant[level] = 1;
    units.all[level] = 1;
    for (const UnrolledFactor& loop : loops[level]) {
      if (operand.relevancy[loop.dimension] == Relevancy::partially_relevant) {
        const Decoupling::Split split = decoupling.split(loop.dimension, loop.factor);
        units.relevant[level] *= split.relevant;
        units.all[level] *= split.relevant;
        units.all[level] *= split.irrelevant;
      } else {
        if (operand.relevancy[loop.dimension] == Relevancy::relevant) units.relevant[level] *= loop.factor;
        units.all[level] *= loop.factor;
      }
    }
  }
  return units;
}

double units_from(const PerLevel<double>& units, int level, int levels) {
  double product = 1;
  for (int above = level; above <= levels; ++above) product *= units[above];
  return product;
}

}  // namespace zz::core
