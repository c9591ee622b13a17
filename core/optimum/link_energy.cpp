#include "core/optimum/link_energy.hpp"

#include <limits>

#include "core/cost/held_data.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/memory_energy.hpp"
#include "core/cost/transfers.hpp"
#include "core/optimum/one_cut_mapping.hpp"

namespace zz::core {
namespace {

double energy_of(const CostTables& tables, const MemoryEnergy& energy, const Transfers& transfers,
                 int operand, int level, Direction direction) {
  const TransferPort& port = tables.operands[operand].port[level][static_cast<int>(direction)];
  if (port.bandwidth_max == 0 && transfers.at(operand, level, direction).elements != 0)
    return std::numeric_limits<double>::infinity();
  return energy.by_direction[operand][level][static_cast<int>(direction)];
}

}  // namespace

LinkEnergy::LinkEnergy(const CostTables& tables, const TemporalSpace& space, bool same_data_free) {
  const ExponentLattice& lattice = space.lattice();
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    links[operand].assign(tables.operands[operand].levels, std::vector<double>(lattice.size()));
  }
  constant = tables.imc ? 0 : tables.unit_energy * static_cast<double>(tables.mac_count);
  for (std::size_t vector = 0; vector < lattice.size(); ++vector) {
    const CompactMapping mapping = one_cut_mapping(tables, lattice, vector);
    const LoopCycles cycles(tables, mapping, same_data_free);
    const HeldData data(tables, tables.fractional, mapping, cycles);
    const Transfers transfers(tables, tables.fractional, data, cycles);
    const MemoryEnergy energy(tables, tables.fractional, transfers);
    for (int operand = 0; operand < tables.operand_count; ++operand) {
      for (int link = 0; link < tables.operands[operand].levels; ++link) {
        double& sum = links[operand][link][vector];
        sum = energy_of(tables, energy, transfers, operand, link, Direction::read_to_low) +
              energy_of(tables, energy, transfers, operand, link, Direction::write_from_low);
        if (link == 0) continue;
        sum += energy_of(tables, energy, transfers, operand, link - 1, Direction::read_to_high) +
               energy_of(tables, energy, transfers, operand, link - 1, Direction::write_from_high);
      }
      if (tables.imc && tables.imc->weight_operand == operand) {
        const auto repeats = static_cast<double>(repeats_at_units(tables, mapping, operand));
        links[operand][0][vector] += tables.imc->with_repeats(repeats).total();
      }
    }
  }
}

}  // namespace zz::core
