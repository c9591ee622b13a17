#include "core/multicore/bound/detail/least_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace zz::core {

std::vector<double> cycles_of_moved_bit(const MultiCoreAccelerator& accelerator) {
  const int cores = accelerator.core_count();
  std::vector<double> ways(static_cast<std::size_t>(cores) * static_cast<std::size_t>(cores), 0);
  const auto at = [&](int from, int to) -> double& {
    return ways[static_cast<std::size_t>(from) * static_cast<std::size_t>(cores) +
                static_cast<std::size_t>(to)];
  };
  for (int from = 0; from < cores; ++from) {
    for (int to = 0; to < cores; ++to) {
      if (from == to || accelerator.share_memory(from, to)) continue;
      double narrowest = std::numeric_limits<double>::infinity();
      for (const int link : accelerator.route(from, to))
        narrowest = std::min(narrowest, accelerator.links[link].bandwidth);
      at(from, to) = 1 / narrowest;
    }
  }
  for (int over = 0; over < cores; ++over)
    for (int from = 0; from < cores; ++from)
      for (int to = 0; to < cores; ++to)
        at(from, to) = std::min(at(from, to), at(from, over) + at(over, to));
  return ways;
}

double cycles_of_groups(double groups, const std::vector<GroupCores>& cores) {
  constexpr int most_rounds = 64;
  constexpr double rounding = 1e-9;  // of whole numbers of groups
  double least = std::numeric_limits<double>::infinity(), speed = 0;
  for (const GroupCores& kind : cores) {
    if (kind.cycles <= 0) return 0;
    least = std::min(least, kind.cycles);
    speed += kind.cores / kind.cycles;
  }
  if (cores.empty() || groups <= 0) return 0;
  // From the time of groups that can be divided on to that of whole ones.
  double time = std::max(least, groups / speed);
  for (int round = 0; round < most_rounds; ++round) {
    double ended = 0, next = std::numeric_limits<double>::infinity();
    for (const GroupCores& kind : cores) {
      const double whole = std::floor(time / kind.cycles + rounding);
      ended += kind.cores * whole;
      next = std::min(next, (whole + 1) * kind.cycles);
    }
    if (ended >= groups) break;
    time = next;
  }
  return time;
}

}  // namespace zz::core
