#include "core/cost/score.hpp"

#include <cmath>

namespace zz::core {

CombinedCost combine(const CostTables& tables, const CostModelOptions& options,
                     const Boundaries& boundaries, const CompactMapping& mapping,
                     std::span<const BoundaryCost* const> costs) {
  CombinedCost combined;
  int boundary = 0;
  for (const Boundaries::Boundary& at : boundaries.all()) {
    const int here = boundary++;
    combined.missing_port = combined.missing_port || costs[here]->missing_port;
    if (!at.top) combined.memory_energy += memory_energy(*costs[here], *costs[here + 1]);
  }
  if (tables.imc) {
    const double repeats = repeats_at_units(tables, mapping, tables.imc->weight_operand);
    combined.mac_energy = tables.imc->with_repeats(repeats).total();
  } else {
    combined.mac_energy = tables.unit_energy * static_cast<double>(tables.mac_count);
  }
  combined.energy_total = combined.memory_energy + combined.mac_energy;
  combined.latency = latency_of(tables, options, boundaries, mapping, costs);
  return combined;
}

Score CombinedCost::score() const {
  if (missing_port) return {std::nan(""), std::nan(""), std::nan("")};
  return {energy_total, latency.total(), latency.computation};
}

}  // namespace zz::core
