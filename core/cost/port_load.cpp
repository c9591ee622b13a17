#include "core/cost/port_load.hpp"

namespace zz::core {
namespace {

/// The period of a level without the loops that leave its data unused.
std::int64_t window(const CostTables& tables, const CompactMapping& mapping, const Boundaries::Boundary& at,
                    std::int64_t unused) {
  std::int64_t period = 1;
  for (int loop = mapping.loops_below(at.operand, at.level); loop-- > 0;) period *= mapping.size[loop];
  return scaled_cycles(period / unused, tables.cycles_per_operation);
}

}  // namespace

Windows allowed_windows(const CostTables& tables, const Boundaries& boundaries,
                        const CompactMapping& mapping, std::span<const BoundaryCost* const> costs,
                        std::uint64_t second_buffers) {
  Windows allowed;
  int boundary = 0;
  for (const Boundaries::Boundary& at : boundaries.all()) {
    const int here = boundary++;
    if (at.top) continue;
    allowed[here] = costs[here]->period;
    if (at.level == 0 || (second_buffers >> here & 1) != 0) continue;
    const std::int64_t iterations =
        outer_iterations(tables, mapping, at.operand, at.level, Relevancy::irrelevant);
    if (iterations > 1) allowed[here] = window(tables, mapping, at, iterations);
  }
  return allowed;
}

PortLoad load_of(const Boundaries::Port& port, std::span<const BoundaryCost* const> costs,
                 const Windows& allowed) {
  PortLoad load;
  for (const Boundaries::PortUse& use : port.uses) {
    const BoundaryCost& cost = *costs[use.boundary];
    if (use.partial_sums_back && !cost.partial_sum) continue;
    // Of returning partial sums the first need not return; stalls count the others.
    load.add({cost.cycles[use.direction], allowed[use.boundary], cost.period, cost.count},
             use.partial_sums_back ? 0 : cost.busy[use.direction]);
  }
  return load;
}

}  // namespace zz::core
