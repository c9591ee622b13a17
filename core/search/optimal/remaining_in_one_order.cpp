#include "core/search/optimal/remaining_in_one_order.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

RemainingInOneOrder::RemainingInOneOrder(const TemporalSpace& space, const MemoryFit& fit,
                                         const Rooms& rooms, const LinkCosts& costs,
                                         std::vector<WeighedFamilies> sums)
    : sums_(std::move(sums)), operands_(static_cast<std::size_t>(space.operands())) {
  if (sums_.size() > most_sums) throw std::logic_error("more sums than a table is made for");
  const ExponentLattice& lattice = space.lattice();
  const auto may_end = [](const std::vector<double>& rest) {
    return std::all_of(rest.begin(), rest.end(), [](double cost) { return cost < infinity; });
  };
  // Of each operand, so many numbers of closed links are possible.
  std::array<std::size_t, max_operands> levels{};
  for (std::size_t operand = 0; operand < operands_; ++operand) {
    strides_[operand] = states_;
    levels[operand] = costs.endings[operand].size();
    while (levels[operand] > 1 && !may_end(costs.endings[operand][levels[operand] - 1])) --levels[operand];
    states_ *= levels[operand];
    counts_[operand] = levels[operand];
  }
  const std::size_t count = sums_.size();
  const std::size_t width = states_ * count;
  table_.assign(lattice.size() * width, infinity);
  const auto closed_of = [&](std::size_t state, std::size_t operand) {
    return static_cast<int>(state / strides_[operand] % levels[operand]);
  };
  std::vector<double> paid(count);
  const auto weigh = [&](const double* cost) {
    for (std::size_t i = 0; i < count; ++i) paid[i] = sums_[i].of(cost);
  };
  const std::size_t full = lattice.full();
  double* const end = &table_[full * width];
  std::fill_n(end, width, 0);
  for (std::size_t operand = 0; operand < operands_; ++operand) {
    const int index = static_cast<int>(operand);
    for (std::size_t state = 0; state < states_; ++state) {
      const std::vector<double>& rest = costs.endings[operand][closed_of(state, operand)];
      bool ends = may_end(rest);
      for (int level = closed_of(state, operand); level < fit.levels(index); ++level)
        ends = ends && rooms.allow(index, level, fit.least_bits(space, index, level, full));
      weigh(rest.data());
      for (std::size_t i = 0; i < count; ++i) end[state * count + i] += ends ? paid[i] : infinity;
    }
    if (!space.all_irrelevant(index, full)) continue;
    weigh(costs.at(index, 0, full));
    for (std::size_t state = 0; state < states_; ++state)
      for (std::size_t i = 0; i < count; ++i) end[state * count + i] += paid[i];
  }
  std::vector<double> after(width);
  for (std::size_t vector = full; vector-- > 0;) {
    double* const here = &table_[vector * width];
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!space.may_follow(vector, kind)) continue;
      std::copy_n(&table_[(vector + lattice.stride(kind)) * width], width, after.begin());
      for (std::size_t operand = 0; operand < operands_; ++operand) {
        const int index = static_cast<int>(operand);
        if (space.irrelevant(index, kind)) continue;
        for (std::size_t level = levels[operand] - 1; level-- > 0;) {
          const double bits = fit.least_bits(space, index, static_cast<int>(level), vector);
          if (bits > fit.capacity(index, static_cast<int>(level))) continue;
          if (!rooms.allow(index, static_cast<int>(level), bits)) continue;
          weigh(costs.at(index, static_cast<int>(level) + 1, vector));
          for (std::size_t state = 0; state < states_; ++state) {
            if (closed_of(state, operand) != static_cast<int>(level)) continue;
            double* const open = &after[state * count];
            const double* const closed = open + strides_[operand] * count;
            for (std::size_t i = 0; i < count; ++i) open[i] = std::min(open[i], closed[i] + paid[i]);
          }
        }
        if (!space.all_irrelevant(index, vector)) continue;
        weigh(costs.at(index, 0, vector));
        for (std::size_t state = 0; state < states_; ++state)
          for (std::size_t i = 0; i < count; ++i) after[state * count + i] += paid[i];
      }
      for (std::size_t i = 0; i < width; ++i) here[i] = std::min(here[i], after[i]);
    }
    for (const MemoryFit::Group& group : fit.groups()) {
      for (std::size_t state = 0; state < states_; ++state) {
        double bits = 0;
        for (const MemoryFit::Group::Member& member : group.members) {
          const double least = rooms.least(member.operand, member.level);
          const int closed = closed_of(state, static_cast<std::size_t>(member.operand));
          // Once the lower cut is placed, it is known that there are partial sums.
          const bool partial =
              member.operand == 0 && closed == member.level && space.irrelevant_above(0, vector);
          const bool open = closed <= member.level;
          bits += open ? std::max(least, fit.bits(member.operand, member.level, vector, partial)) : least;
        }
        if (bits > group.capacity) std::fill_n(here + state * count, count, infinity);
      }
    }
  }
}

double RemainingInOneOrder::size(const TemporalSpace& space, const MemoryFit& fit, std::size_t sums) {
  double size = static_cast<double>(space.lattice().size()) * static_cast<double>(sums);
  for (int operand = 0; operand < space.operands(); ++operand) size *= fit.levels(operand);
  return size;
}

}  // namespace zz::core
