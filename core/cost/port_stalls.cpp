#include "core/cost/port_stalls.hpp"

#include <algorithm>

#include "core/cost/latency.hpp"
#include "core/cost/port_load.hpp"
#include "core/hardware/memory_hierarchy.hpp"

namespace zz::core {

std::vector<PortStall> port_stalls(const CostModel& model, const Accelerator& accelerator,
                                   const CompactMapping& mapping) {
  const CostTables& tables = model.tables();
  const Boundaries& boundaries = model.boundaries();
  std::vector<BoundaryCost> costs;
  for (const Boundaries::Boundary& at : boundaries.all())
    costs.push_back(cost_of(tables, model.options(), mapping, at.operand, at.level));
  std::vector<const BoundaryCost*> all;
  for (const BoundaryCost& cost : costs) all.push_back(&cost);
  const Windows allowed =
      allowed_windows(tables, boundaries, mapping, all, second_buffers(tables, boundaries, mapping, all));
  // Ports over which nothing passes, above the topmost memory, are in the tables alone.
  const auto passes = [&](const Service& service) { return boundary_of(tables, service).has_value(); };
  std::vector<PortStall> stalls;
  auto table = tables.ports.begin();
  auto port = boundaries.ports().begin();
  for (std::size_t memory = 0; memory < accelerator.memories.size(); ++memory) {
    for (const ServingPort& serving : accelerator.hierarchy().ports[memory]) {
      const std::vector<Service>& services = (table++)->services;
      const bool used = std::any_of(services.begin(), services.end(), passes);
      const Memory& at = accelerator.memories[memory];
      stalls.push_back(
          {at.name, at.ports[serving.port].name, used ? load_of(*port++, all, allowed).stall() : 0});
    }
  }
  return stalls;
}

}  // namespace zz::core
