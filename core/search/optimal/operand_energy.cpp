#include "core/search/optimal/operand_energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/cost/memory_energy.hpp"

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// pJ by link: link 0 leads to the lowest memory, link k from memory k-1 to memory k.
PerLevel<double> link_energies(const OperandTable& table, const SpatialTable& unrolled,
                               const OperandPortions::Moved& transfers) {
  PerLevel<double> energies{};
  const auto pay = [&](int level, int link, Direction direction) {
    const int index = static_cast<int>(direction);
    const LevelTransfer& transfer = transfers[level][index];
    if (transfer.elements == 0) return;
    const TransferPort& port = table.port[level][index];
    energies[link] +=
        port.bandwidth_max == 0
            ? infinity
            : table.energy[level][index] *
                  static_cast<double>(count_accesses(transfer, port, unrolled.unit_count[level + 1]));
  };
  for (int level = 0; level < table.levels; ++level) {
    pay(level, level, Direction::read_to_low);
    pay(level, level, Direction::write_from_low);
    if (level + 1 == table.levels) break;
    pay(level, level + 1, Direction::read_to_high);
    pay(level, level + 1, Direction::write_from_high);
  }
  return energies;
}

/// What is left to pay when so many links between memories are closed, by multiset of the loops below.
using Rest = std::vector<PerLevel<double>>;

/// Links close wherever there is room.
Rest thorough(OperandPortions& portions) {
  portions.prepare_all();
  const ExponentLattice& lattice = portions.lattice();
  const int links = portions.levels();
  Rest rest(lattice.size());
  for (std::size_t vector = lattice.size(); vector-- > 0;) {
    const PerLevel<double> energies =
        link_energies(portions.table(), portions.unrolling(false), portions.at(vector, false));
    PerLevel<double>& here = rest[vector];
    double above = 0;
    for (int closed = links; closed-- > 0;) {
      double& least = here[closed] = infinity;
      if (vector == lattice.full()) {
        if (!portions.fits(closed, vector)) above = infinity;
        least = above;
        above += energies[closed];
        continue;
      }
      for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
        if (lattice.has_more(vector, kind))
          least = std::min(least, rest[vector + lattice.stride(kind)][closed]);
      }
      if (closed + 1 < links && portions.fits(closed, vector))
        least = std::min(least, here[closed + 1] + energies[closed + 1]);
    }
  }
  return rest;
}

/// All data passes each link once: no less than that, but for factors that are cut to whole ones, windows
/// that are over-counted, and the last access of each transfer. Whatever the loops below.
Rest quick(OperandPortions& portions, double window_share) {
  const ExponentLattice& lattice = portions.lattice();
  std::vector<std::size_t> needed = {0, lattice.full()};
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) needed.push_back(lattice.stride(kind));
  portions.prepare(needed);
  const OperandTable& table = portions.table();
  const SpatialTable& unrolled = portions.unrolling(false);
  double share = window_share;
  for (const UnrolledFactor& loop : unrolled.loops.all()) {
    if (table.relevancy[loop.dimension] != Relevancy::irrelevant)
      share *= std::floor(loop.factor) / loop.factor;
  }
  const PerLevel<double> energies = link_energies(table, unrolled, portions.at(lattice.full(), false));
  PerLevel<double> rest{};
  for (int link = table.levels - 1; link > 0; --link) {
    double one_access = 0;
    for (const Direction direction : {Direction::read_to_low, Direction::write_from_low})
      one_access += table.energy[link][static_cast<int>(direction)];
    for (const Direction direction : {Direction::read_to_high, Direction::write_from_high})
      one_access += table.energy[link - 1][static_cast<int>(direction)];
    rest[link - 1] = rest[link] + std::max(0.0, share * energies[link] - one_access);
  }
  return {rest};
}

}  // namespace

OperandEnergy::OperandEnergy(OperandPortions& portions, double window_share, Effort effort,
                             const ImcLayerEnergy* imc) {
  const ExponentLattice& lattice = portions.lattice();
  const SpatialTable& unrolled = portions.unrolling(false);
  const int links = portions.levels();
  const bool is_quick = effort == Effort::quick;
  const Rest rest = is_quick ? quick(portions, window_share) : thorough(portions);
  const auto rest_at = [&](std::size_t vector, int closed) { return rest[is_quick ? 0 : vector][closed]; };
  const auto of_array = [&](std::int64_t repeats) {
    return imc == nullptr ? 0 : imc->with_repeats(static_cast<double>(repeats)).total();
  };
  const double kept_at_units = link_energies(portions.table(), unrolled, portions.at(0, false))[0];
  kept = kept_at_units + of_array(portions.repeats()) + rest_at(0, 0);
  const PerLevel<double> every_time =
      link_energies(portions.table(), unrolled, portions.without_loops(false));
  changed.fill(infinity);
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const std::size_t loop = lattice.stride(kind);
    double& least = changed[lattice.kinds()[kind].dimension];
    double paid = every_time[0] + of_array(1);
    for (int closed = 0; closed < links; ++closed) {
      if (!is_quick || closed + 1 == links || portions.fits(closed, loop))
        least = std::min(least, paid + rest_at(loop, closed));
      if (closed + 1 == links || !portions.fits(closed, 0)) break;
      paid += every_time[closed + 1];
    }
  }
}

}  // namespace zz::core
