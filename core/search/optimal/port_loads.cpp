#include "core/search/optimal/port_loads.hpp"

#include <algorithm>
#include <cmath>

#include "core/cost/data_footprint.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/port_stalls.hpp"
#include "core/cost/transfers.hpp"
#include "core/search/optimal/one_cut_mapping.hpp"

namespace zz::core {

PortLoads::PortLoads(const SearchProblem& problem)
    : cycles_per_operation_(problem.tables.cycles_per_operation) {
  const CostTables& tables = problem.tables;
  const ExponentLattice& lattice = problem.space.lattice();
  for (std::size_t port = 0; port < tables.ports.size(); ++port) {
    for (const Service& service : tables.ports[port].services) {
      const bool low_side =
          service.direction == Direction::read_to_low || service.direction == Direction::write_from_low;
      const int link = low_side ? service.level : service.level + 1;
      if (link >= tables.operands[service.operand].levels) continue;  // nothing lies above
      const bool upwards =
          service.direction == Direction::write_from_low || service.direction == Direction::read_to_high;
      if (upwards && !tables.operands[service.operand].output) continue;  // inputs are never written back
      const bool back =
          tables.operands[service.operand].output &&
          (service.direction == Direction::read_to_low || service.direction == Direction::write_from_high);
      const bool every_cycle =
          link == 0 && (tables.operands[service.operand].output || !problem.given.options.same_data_free);
      loads.push_back({static_cast<int>(port), service.operand, link, service.direction, back, every_cycle,
                       std::vector<double>(lattice.size()), std::vector<double>(lattice.size())});
    }
  }
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    first_bits[operand].resize(lattice.size());
    share[operand].assign(tables.operands[operand].levels + 1, std::vector<double>(lattice.size()));
  }
  iterations.resize(lattice.size());
  for (std::size_t vector = 0; vector < lattice.size(); ++vector) {
    const CompactMapping mapping = one_cut_mapping(tables, lattice, vector);
    const LoopCycles cycles(tables, mapping, problem.given.options.same_data_free);
    const DataFootprint held(tables, tables.fractional, mapping, cycles);
    const DataFootprint whole(tables, tables.integral, mapping, cycles);
    const Transfers transfers(tables, tables.integral, whole, cycles);
    iterations[vector] = 1;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      for (int i = lattice.count(vector, kind); i-- > 0;) iterations[vector] *= lattice.kinds()[kind].size;
    }
    total = cycles.total;
    for (TransferLoad& load : loads) {
      const bool low_side =
          load.direction == Direction::read_to_low || load.direction == Direction::write_from_low;
      const int level = low_side ? load.link : load.link - 1;
      const LevelTransfer& transfer = transfers.at(load.operand, level, load.direction);
      if (transfer.count == 0) continue;
      load.cycles[vector] =
          static_cast<double>(real_cycles(tables, transfers, {load.operand, level, load.direction}));
      load.bandwidth[vector] =
          std::ceil(static_cast<double>(transfer.bandwidth) / tables.cycles_per_operation);
    }
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      first_bits[operand][vector] = whole.operands[operand].bits[1];
      for (int link = 1; link <= tables.operands[operand].levels; ++link) {
        share[operand][link][vector] =
            held.operands[operand].bits[link] / tables.operands[operand].size[link - 1];
      }
    }
  }
  computation = static_cast<double>(total) * cycles_per_operation_;
  busy = std::ceil(computation);
  longest_windows = static_cast<double>(total) * std::ceil(cycles_per_operation_);
}

double PortLoads::period(const TransferLoad& load, std::size_t vector, std::int64_t run) const {
  const std::int64_t loops = load.every_cycle ? 1 : iterations[vector] / run;
  return std::ceil(static_cast<double>(loops) * cycles_per_operation_);
}

}  // namespace zz::core
