#include "core/multicore/search/detail/quick_bound.hpp"

#include <algorithm>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

QuickBound quick_bound(const ScheduleProblem& problem, const std::vector<int>& cores) {
  const ScheduleProblem::Tables& tables = problem.tables();
  std::vector<double> load(tables.core_count, 0), streamed(tables.accelerator->links.size(), 0);
  QuickBound bound;
  for (int node = 0; node < tables.node_count; ++node) {
    const NodeGroup& group = tables.groups[tables.group_of[node]];
    const int core = group.gene < 0 ? group.core : cores[group.gene];
    const NodeCost& cost = tables.node_cost(node, core);
    load[core] += cost.runtime;
    bound.energy += cost.onchip_energy + cost.offchip_energy;
    if (cost.read_demand > 0)
      for (const int link : tables.route(tables.offchip_core, core).distinct)
        streamed[link] += cost.cost->stream_read_bits;
    if (cost.write_demand > 0)
      for (const int link : tables.route(core, tables.offchip_core).distinct)
        streamed[link] += cost.cost->stream_write_bits;
  }
  bound.latency = *std::max_element(load.begin(), load.end());
  for (std::size_t link = 0; link < streamed.size(); ++link)
    bound.latency = std::max(bound.latency, streamed[link] / tables.accelerator->links[link].bandwidth);
  return bound;
}

}  // namespace zz::core
