#include "core/search/optimal/remaining_cost.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

RemainingOfOperand::RemainingOfOperand(const TemporalSpace& space, const MemoryFit& fit,
                                       const LinkCosts& costs, int operand)
    : space_(&space),
      operand_(operand),
      families_(static_cast<std::size_t>(costs.families)),
      impossible_(families_, std::numeric_limits<double>::infinity()),
      memories_(costs.endings[operand].size()) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const ExponentLattice& lattice = space.lattice();
  const auto may_end = [](const std::vector<double>& rest) {
    return std::all_of(rest.begin(), rest.end(), [](double cost) { return cost < infinity; });
  };
  const auto lower = [this](double* rest, const double* other) {
    for (std::size_t family = 0; family < families_; ++family)
      rest[family] = std::min(rest[family], other[family]);
  };
  std::size_t last = memories_.size() - 1;  // links between memories, closed at the end
  while (last > 0 && !may_end(costs.endings[operand][last])) --last;
  for (std::size_t closed = 0; closed <= last; ++closed) {
    memories_[closed].assign(lattice.size() * families_, infinity);
    std::copy(costs.endings[operand][closed].begin(), costs.endings[operand][closed].end(),
              &memories_[closed][lattice.full() * families_]);
  }
  units_.assign(lattice.size() * families_, infinity);
  for (std::size_t vector = lattice.size(); vector-- > 0;) {
    const std::size_t here = vector * families_;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!lattice.has_more(vector, kind)) continue;
      const std::size_t next = here + lattice.stride(kind) * families_;
      for (std::size_t closed = 0; closed <= last; ++closed)
        lower(&memories_[closed][here], &memories_[closed][next]);
      if (space.irrelevant(operand, kind)) lower(&units_[here], &units_[next]);
    }
    if (space.changes_above(operand, vector)) {
      for (std::size_t closed = last; closed-- > 0;) {
        const int level = static_cast<int>(closed);
        if (fit.least_bits(space, operand, level, vector) > fit.capacity(operand, level)) continue;
        const double* cost = costs.at(operand, level + 1, vector);
        for (std::size_t family = 0; family < families_; ++family) {
          memories_[closed][here + family] = std::min(memories_[closed][here + family],
                                                      memories_[closed + 1][here + family] + cost[family]);
        }
      }
    }
    if (!space.all_irrelevant(operand, vector)) continue;
    if (vector != lattice.full() && !space.changes_above(operand, vector)) continue;
    const double* cost = costs.at(operand, 0, vector);
    for (std::size_t family = 0; family < families_; ++family)
      units_[here + family] = std::min(units_[here + family], memories_[0][here + family] + cost[family]);
  }
}

RemainingCost::RemainingCost(const TemporalSpace& space, const MemoryFit& fit, const LinkCosts& costs) {
  for (int operand = 0; operand < space.operands(); ++operand)
    operands_[operand] = std::make_shared<const RemainingOfOperand>(space, fit, costs, operand);
}

}  // namespace zz::core
