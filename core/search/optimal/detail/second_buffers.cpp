#include "core/search/optimal/detail/second_buffers.hpp"

#include <algorithm>
#include <cmath>

namespace zz::core {

SecondBuffers::SecondBuffers(const SearchProblem& problem, const PortLoads& loads)
    : problem_(problem), loads_(loads) {
  const std::size_t full = problem_.space.lattice().full();
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    store_[operand].assign(problem_.tables.operands[operand].levels, -1);
    others_[operand].assign(problem_.tables.operands[operand].levels, 0);
  }
  for (const auto& group : problem_.tables.share_groups) {
    double held = 0;
    for (const OperandLevel& member : group) {
      double most = 0;
      for (std::size_t multiset = 0; multiset <= full; ++multiset) {
        if (problem_.fit.fits(member.operand, member.level, multiset, false))
          most = std::max(most, loads_.share[member.operand][member.level + 1][multiset]);
      }
      held += most;
      for (const OperandLevel& other : group)
        if (&other != &member) others_[other.operand][other.level] += most;
    }
    if (held <= 0.5) continue;
    for (const OperandLevel& member : group)
      store_[member.operand][member.level] = static_cast<int>(stores_);
    ++stores_;
  }
}

bool SecondBuffers::surely_single(int operand, int level, std::size_t multiset) const {
  return loads_.share[operand][level + 1][multiset] > 0.5;
}

bool SecondBuffers::surely_double(int operand, int level, std::size_t multiset) const {
  return loads_.share[operand][level + 1][multiset] + others_[operand][level] < 0.5 * (1 - 1e-9);
}

bool SecondBuffers::may_be_single(int operand, int boundary, std::size_t multiset) const {
  if (boundary == 0 || surely_double(operand, boundary - 1, multiset)) return false;
  return store_[operand][boundary - 1] >= 0 || surely_single(operand, boundary - 1, multiset);
}

double SecondBuffers::share(int operand, int level, std::size_t multiset, std::int64_t replaced) const {
  const double size = problem_.tables.operands[operand].size[level];
  const double bits = loads_.share[operand][level + 1][multiset] * size;
  // Rounding must not make the share larger than it is.
  constexpr double tolerance = 1e-6;
  return std::floor(std::max(0.0, bits / static_cast<double>(replaced) - tolerance)) / size;
}

}  // namespace zz::core
