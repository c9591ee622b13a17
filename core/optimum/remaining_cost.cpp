#include "core/optimum/remaining_cost.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

RemainingCost::RemainingCost(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs)
    : space_(&space), families_(static_cast<std::size_t>(costs.families)) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const ExponentLattice& lattice = space.lattice();
  for (int operand = 0; operand < space.operands(); ++operand) {
    const std::size_t inner_links = costs.endings[operand].size() - 1;  // those between memories
    auto& memories = memories_[operand];
    memories.assign(inner_links + 1, std::vector<double>(lattice.size() * families_, infinity));
    for (std::size_t closed = 0; closed <= inner_links; ++closed) {
      std::copy(costs.endings[operand][closed].begin(), costs.endings[operand][closed].end(),
                &memories[closed][lattice.full() * families_]);
    }
    auto& units = units_[operand];
    units.assign(lattice.size() * families_, infinity);
    for (std::size_t vector = lattice.size(); vector-- > 0;) {
      const std::size_t here = vector * families_;
      for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
        if (!lattice.has_more(vector, kind)) continue;
        const std::size_t next = here + lattice.stride(kind) * families_;
        for (auto& table : memories) {
          for (std::size_t family = 0; family < families_; ++family)
            table[here + family] = std::min(table[here + family], table[next + family]);
        }
        if (!space.irrelevant(operand, kind)) continue;
        for (std::size_t family = 0; family < families_; ++family)
          units[here + family] = std::min(units[here + family], units[next + family]);
      }
      if (space.changes_above(operand, vector)) {
        for (std::size_t closed = inner_links; closed-- > 0;) {
          const int level = static_cast<int>(closed);
          if (fit.least_bits(space, operand, level, vector) > fit.capacity(operand, level)) continue;
          const double* cost = costs.at(operand, static_cast<int>(closed) + 1, vector);
          for (std::size_t family = 0; family < families_; ++family) {
            memories[closed][here + family] = std::min(memories[closed][here + family],
                                                       memories[closed + 1][here + family] + cost[family]);
          }
        }
      }
      if (!space.all_irrelevant(operand, vector)) continue;
      if (vector != lattice.full() && !space.changes_above(operand, vector)) continue;
      const double* cost = costs.at(operand, 0, vector);
      for (std::size_t family = 0; family < families_; ++family)
        units[here + family] = std::min(units[here + family], memories[0][here + family] + cost[family]);
    }
  }
}

}  // namespace zz::core
