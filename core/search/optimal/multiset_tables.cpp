#include "core/search/optimal/multiset_tables.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/search_problem.hpp"
#include "core/search/optimal/detail/traffic.hpp"

namespace zz::core {
namespace {

/// Cycles of the port for all portions of a transfer.
double busy_cycles(const PortLoads& loads, const TransferLoad& load, std::size_t multiset) {
  return load.busy[multiset] * loads.count(load, multiset);
}

/// Ports that some mapping keeps busy for longer than the array, those first that all keep busy longest.
std::vector<int> busiest_ports(const SearchProblem& problem, const PortLoads& loads) {
  struct Busy {
    int port = 0;
    double least = 0, most = 0;
  };
  std::vector<Busy> found;
  for (int port = static_cast<int>(problem.tables.ports.size()); port-- > 0;) {
    Busy& busy = found.emplace_back(Busy{.port = port});
    for (const TransferLoad& load : loads.loads) {
      if (load.port != port) continue;
      double least = infinite, most = 0;
      for (std::size_t multiset = 0; multiset < problem.space.lattice().size(); ++multiset) {
        if (load.boundary == 0 && !problem.space.all_irrelevant(load.operand, multiset)) continue;
        least = std::min(least, busy_cycles(loads, load, multiset));
        most = std::max(most, busy_cycles(loads, load, multiset));
      }
      busy.least += least;
      busy.most += most;
    }
  }
  std::erase_if(found, [&](const Busy& busy) { return busy.most <= loads.computation; });
  std::stable_sort(found.begin(), found.end(),
                   [](const Busy& a, const Busy& b) { return a.least > b.least; });
  std::vector<int> ports;
  for (const Busy& busy : found) ports.push_back(busy.port);
  return ports;
}

}  // namespace

MultisetTables::MultisetTables(const MappingProblem& given, bool cycles) {
  const SearchProblem problem(given);
  const TemporalSpace& space = problem.space;
  if (!problem.tables.shared_tiles.empty())
    throw InputError(
        fmt::format("accelerator '{}' has a memory with shared_tiles, for which layers cannot be fused",
                    given.accelerator->name));
  const ExponentLattice& lattice = space.lattice();
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopKind& loop = lattice.kinds()[kind];
    kinds.push_back({loop.dimension, loop.size, loop.count, lattice.stride(kind)});
  }
  size = lattice.size();
  const LabelCosts costs = energy_costs(problem);
  operations = costs.constant.front();
  partial_matters = problem.fit.partial_matters();
  for (std::size_t multiset = 0; multiset < size; ++multiset)
    sums_above.push_back(space.irrelevant_above(0, multiset));
  for (int index = 0; index < space.operands(); ++index) {
    Operand operand;
    operand.levels = problem.fit.levels(index);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      operand.relevant.push_back(space.relevant(index, kind));
    for (std::size_t multiset = 0; multiset < size; ++multiset)
      operand.all_irrelevant.push_back(space.all_irrelevant(index, multiset));
    operand.energy = (*costs.boundaries)[index];
    for (int level = 0; level < operand.levels; ++level) {
      operand.capacity.push_back(problem.fit.capacity(index, level));
      operand.memory.push_back(problem.tables.operands[index].memory[level]);
      for (const bool partial : {false, true}) {
        std::vector<double>& bits = operand.elements_bits[partial ? 1 : 0].emplace_back();
        bits.reserve(size);
        for (std::size_t multiset = 0; multiset < size; ++multiset)
          bits.push_back(problem.fit.bits(index, level, multiset, partial));
      }
      if (index > 0) continue;
      std::vector<double>& finished = finished_bits.emplace_back();
      finished.reserve(size);
      for (std::size_t multiset = 0; multiset < size; ++multiset)
        finished.push_back(problem.fit.finished_bits(level, multiset));
    }
    operands.push_back(std::move(operand));
  }
  if (!cycles) return;
  const PortLoads loads(problem);
  computation = loads.computation;
  const std::vector<int> busiest = busiest_ports(problem, loads);
  ports = std::min(busiest.size(), most_ports);
  for (std::size_t port = 0; port < ports; ++port) {
    for (Operand& operand : operands)
      operand.busy[port].assign(static_cast<std::size_t>(operand.levels), std::vector<double>(size, 0));
    for (const TransferLoad& load : loads.loads) {
      if (load.port != busiest[port]) continue;
      std::vector<double>& busy =
          operands[load.operand].busy[port][static_cast<std::size_t>(load.boundary)];
      for (std::size_t multiset = 0; multiset < size; ++multiset)
        busy[multiset] += busy_cycles(loads, load, multiset);
    }
  }
}

}  // namespace zz::core
