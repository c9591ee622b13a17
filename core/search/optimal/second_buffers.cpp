// What it costs a mapping when a memory has no room for a second buffer, by the sums of LatencyCosts: a
// transfer then has to be done before its data are asked for again (core/cost/transfers.hpp).

#include <algorithm>
#include <cmath>

#include "core/search/optimal/latency_costs.hpp"

namespace zz::core {

void LatencyCosts::find_stores() {
  const std::size_t full = problem_.space.lattice().full();
  for (int operand = 0; operand < problem_.space.operands(); ++operand) {
    store_[operand].assign(problem_.tables.operands[operand].levels, -1);
    others_[operand].assign(problem_.tables.operands[operand].levels, 0);
  }
  for (const auto& group : problem_.tables.share_groups) {
    double held = 0;
    for (const OperandLevel& member : group) {
      double most = 0;
      for (std::size_t vector = 0; vector <= full; ++vector) {
        if (problem_.fit.fits(member.operand, member.level, vector, false))
          most = std::max(most, loads_.share[member.operand][member.level + 1][vector]);
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

bool LatencyCosts::surely_single(int operand, int level, std::size_t vector) const {
  return loads_.share[operand][level + 1][vector] > 0.5;
}

/// Whatever the others hold, all of them together fill no more than half of the memory.
bool LatencyCosts::surely_double(int operand, int level, std::size_t vector) const {
  return loads_.share[operand][level + 1][vector] + others_[operand][level] < 0.5 * (1 - 1e-9);
}

bool LatencyCosts::may_lack_second_buffer(int operand, int link, std::size_t vector) const {
  if (link == 0 || surely_double(operand, link - 1, vector)) return false;
  return store_[operand][link - 1] >= 0 || surely_single(operand, link - 1, vector);
}

double LatencyCosts::share(int operand, int level, std::size_t vector, std::int64_t replaced) const {
  const double size = problem_.tables.operands[operand].size[level];
  const double bits = loads_.share[operand][level + 1][vector] * size;
  // Rounding must not make it larger.
  constexpr double tolerance = 1e-6;
  return std::floor(std::max(0.0, bits / static_cast<double>(replaced) - tolerance)) / size;
}

bool LatencyCosts::add(int operand, int link, std::size_t vector, std::int64_t run, double* paid) const {
  bool added = false;
  if (surely_double(operand, link - 1, vector)) return false;
  for (const TransferLoad& load : loads_.loads) {
    if (load.operand != operand || load.link != link || load.cycles[vector] == 0) continue;
    const double with = std::max(0.0, load.cycles[vector] - loads_.period(load, vector));
    const double without = std::max(0.0, load.cycles[vector] - loads_.period(load, vector, run));
    const double repeats = loads_.count(load, vector) - 1;
    const double more = (without - with) * repeats;
    for (std::size_t i = 0; i < families_.size(); ++i) {
      const Family& family = families_[i];
      const Family& counted = family.kind == Kind::together ? families_[family.of_port] : family;
      if (!counted.is_of(load.port)) continue;
      double change = 0;
      if (counted.kind == Kind::stalls) change = more;
      if (counted.kind == Kind::stalling) change = -more;
      if (counted.kind == Kind::crowding) change = -load.cycles[vector] * repeats;
      if (counted.kind == Kind::open) change = -1;
      paid[first_family_ + i] += change;
      added = added || change != 0;
    }
  }
  return added;
}

}  // namespace zz::core
