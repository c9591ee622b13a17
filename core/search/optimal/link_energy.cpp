#include "core/search/optimal/link_energy.hpp"

#include <cmath>
#include <limits>

#include "core/cost/memory_energy.hpp"
#include "core/cost/rounding.hpp"
#include "core/search/optimal/operand_portions.hpp"

namespace zz::core {
namespace {

/// One transfer over a link: what it costs follows from how often its portion comes.
struct Access {
  double energy = 0;    ///< pJ
  double portions = 0;  ///< accesses for one portion, before they are cut to whole ones
  double units = 0;

  /// As count_accesses(), with the same roundings.
  double cost(double count) const {
    return portions == 0 ? 0 : energy * static_cast<double>(truncate(portions * count * units));
  }
};

/// The transfers over one link: on the side of the memory above it, and of the one below.
struct LinkAccesses {
  Access read_to_low, write_from_low, read_to_high, write_from_high;

  double cost(double count) const {
    return (read_to_low.cost(count) + write_from_low.cost(count)) +
           (read_to_high.cost(count) + write_from_high.cost(count));
  }
};

Access access_of(const OperandPortions& portions, const OperandPortions::Moved& moved, int level,
                 Direction direction) {
  const int index = static_cast<int>(direction);
  const LevelTransfer& transfer = moved[level][index];
  const TransferPort& port = portions.table().port[level][index];
  Access access;
  access.energy = portions.table().energy[level][index];
  access.units = portions.unrolling(false).unit_count[level + 1];
  if (transfer.elements == 0) return access;
  if (port.bandwidth_max == 0) {
    access.energy = std::numeric_limits<double>::infinity();
    access.portions = access.units = 1;
  } else if (transfer.precision != 0) {
    access.portions = std::ceil(transfer.elements * transfer.precision / port.bandwidth_min) *
                      (port.bandwidth_min / port.bandwidth_max);
  }
  return access;
}

LinkAccesses accesses_of(const OperandPortions& portions, const OperandPortions::Moved& moved, int link) {
  LinkAccesses accesses;
  accesses.read_to_low = access_of(portions, moved, link, Direction::read_to_low);
  accesses.write_from_low = access_of(portions, moved, link, Direction::write_from_low);
  if (link == 0) return accesses;
  accesses.read_to_high = access_of(portions, moved, link - 1, Direction::read_to_high);
  accesses.write_from_high = access_of(portions, moved, link - 1, Direction::write_from_high);
  return accesses;
}

}  // namespace

LinkEnergy::LinkEnergy(const CostTables& tables, const TemporalSpace& space, bool same_data_free) {
  const ExponentLattice& lattice = space.lattice();
  std::vector<RemainingLoop> loops;
  std::vector<FactorTable> factors;
  for (const LoopKind& kind : lattice.kinds()) {
    std::int64_t iterations = 1;
    for (int i = 0; i < kind.count; ++i) iterations *= kind.size;
    loops.push_back({kind.dimension, iterations});
    factors.push_back({kind.dimension, {{kind.size, kind.count}}});
  }
  constant = tables.imc ? 0 : tables.unit_energy * static_cast<double>(tables.mac_count);
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    OperandPortions portions(tables, loops, operand, factors, same_data_free, false,
                             OperandPortions::Counting::as_modelled);
    portions.prepare_all();
    const OperandTable& table = tables.operands[operand];
    const std::size_t relevant_size = portions.lattice().size();
    const auto link_count = static_cast<std::size_t>(table.levels);
    // By multiset of relevant loops and link; without and with irrelevant loops above.
    std::array<std::vector<LinkAccesses>, 2> accesses;
    for (const bool partial : {false, true}) {
      if (partial && !table.output) continue;
      for (std::size_t relevant = 0; relevant < relevant_size; ++relevant) {
        const OperandPortions::Moved& moved =
            partial ? portions.partial_at(relevant, false) : portions.at(relevant, false);
        for (int link = 0; link < table.levels; ++link)
          accesses[partial ? 1 : 0].push_back(accesses_of(portions, moved, link));
      }
    }
    // Where a multiset of all loops is among those of the relevant ones, and what the others repeat.
    std::vector<std::uint32_t> relevant_of(lattice.size(), 0);
    std::vector<std::int64_t> repeats_of(lattice.size(), 1);
    std::vector<std::size_t> strides(lattice.kinds().size(), 0);
    for (std::size_t kind = 0, next = 0; kind < strides.size(); ++kind)
      if (space.relevant(operand, kind)) strides[kind] = portions.lattice().stride(next++);
    for (std::size_t vector = 1; vector < lattice.size(); ++vector) {
      std::size_t kind = 0;
      while (lattice.count(vector, kind) == 0) ++kind;
      const std::size_t below = vector - lattice.stride(kind);
      relevant_of[vector] = relevant_of[below] + static_cast<std::uint32_t>(strides[kind]);
      repeats_of[vector] =
          repeats_of[below] * (space.relevant(operand, kind) ? 1 : lattice.kinds()[kind].size);
    }
    links[operand].assign(link_count, std::vector<double>(lattice.size()));
    const bool kept = !table.output && same_data_free;
    const bool in_array = tables.imc && tables.imc->weight_operand == operand;
    for (std::size_t vector = 0; vector < lattice.size(); ++vector) {
      const std::size_t relevant = relevant_of[vector];
      const std::int64_t repeats = repeats_of[vector];
      const bool partial = table.output && repeats < portions.repeats();
      const LinkAccesses* const here = &accesses[partial ? 1 : 0][relevant * link_count];
      const std::int64_t count =
          portions.total() / (portions.period(relevant) / portions.repeats() * repeats);
      for (std::size_t link = 1; link < link_count; ++link)
        links[operand][link][vector] = here[link].cost(static_cast<double>(count));
      const std::int64_t at_units = kept ? portions.total() / repeats : portions.total();
      links[operand][0][vector] = accesses[0][0].cost(static_cast<double>(at_units));
      if (in_array)
        links[operand][0][vector] += tables.imc->with_repeats(static_cast<double>(repeats)).total();
    }
  }
}

}  // namespace zz::core
