#include "core/search/temporal/memory_shares.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {
namespace {

/// True when no operand leaves a loop to the levels above that another takes here.
bool is_even(std::span<const MemoryShares> shares, const std::array<int, max_operands>& index) {
  for (std::size_t a = 0; a < shares.size(); ++a) {
    const int taken = shares[a].first + index[a];
    if (taken == 0) continue;
    for (std::size_t b = 0; b < shares.size(); ++b) {
      const int end_b = shares[b].held + shares[b].first + index[b];
      if (end_b < shares[a].held + taken) return false;
    }
  }
  return true;
}

}  // namespace

bool share_memory(std::span<const MemoryShares> shares, double capacity, MappingType type,
                  std::array<int, max_operands>& further) {
  const std::size_t count = shares.size();
  further.fill(0);
  // Where more loops of the operand that varies fastest leave less traffic, its largest share that fits
  // beside the others is its best.
  const MemoryShares& fastest = shares[count - 1];
  const bool only_largest = type == MappingType::uneven && fastest.falling;
  // Where every operand leaves least traffic with its largest share, all take it if there is room.
  double most = 0;
  bool all_largest = type == MappingType::uneven || count == 1;
  for (const MemoryShares& share : shares) {
    all_largest = all_largest && share.falling;
    most += share.bits[share.count - 1];
  }
  if (all_largest && most <= capacity) {
    for (std::size_t i = 0; i < count; ++i) further[i] = shares[i].first + shares[i].count - 1;
    return true;
  }
  std::array<int, max_operands> index{};
  double best = std::numeric_limits<double>::infinity();
  bool fits = false;
  for (;;) {
    double bits = 0;
    double traffic = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      bits += shares[i].bits[index[i]];
      traffic += shares[i].traffic[index[i]];
    }
    int last = fastest.count - 1;
    while (last >= 0 && bits + fastest.bits[last] > capacity) --last;
    fits = fits || last >= 0;
    for (int share = only_largest ? std::max(last, 0) : 0; share <= last; ++share) {
      const double total = traffic + fastest.traffic[share];
      index[count - 1] = share;
      if (total > best || (type == MappingType::even && !is_even(shares, index))) continue;
      // Of equally good ways the last one counts: it holds more loops of the first operands.
      best = total;
      for (std::size_t i = 0; i < count; ++i) further[i] = shares[i].first + index[i];
    }
    std::size_t digit = count - 1;
    while (digit > 0 && ++index[digit - 1] == shares[digit - 1].count) index[--digit] = 0;
    if (digit == 0) break;
  }
  return fits;
}

}  // namespace zz::core
