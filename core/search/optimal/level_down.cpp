#include "core/search/optimal/level_down.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {

void level_down(std::span<OneTimeTransfer> transfers, double spare) {
  const auto at = [](const OneTimeTransfer& transfer, double level) {
    return std::max(std::min(transfer.minimum, transfer.cycles), std::min(transfer.cycles, level));
  };
  const auto taken = [&](double level) {
    double sum = 0;
    for (const OneTimeTransfer& transfer : transfers) sum += transfer.cycles - at(transfer, level);
    return sum;
  };
  // Between the lengths and the minima what is taken is linear in the level.
  double below = 0;
  double above = std::numeric_limits<double>::infinity();
  for (const OneTimeTransfer& transfer : transfers) {
    for (const double level : {transfer.cycles, std::min(transfer.minimum, transfer.cycles)}) {
      if (taken(level) <= spare)
        above = std::min(above, level);
      else
        below = std::max(below, level);
    }
  }
  double level = above;
  if (below < above && below > 0) {
    const double at_below = taken(below);
    const double at_above = taken(above);
    if (at_below > at_above) level = above - (above - below) * (spare - at_above) / (at_below - at_above);
  }
  for (OneTimeTransfer& transfer : transfers) transfer.cycles = at(transfer, level);
}

}  // namespace zz::core
