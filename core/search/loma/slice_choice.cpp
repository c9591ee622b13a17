#include "core/search/loma/slice_choice.hpp"

#include <algorithm>
#include <limits>

namespace zz::core {
namespace {

/// A loop that one operand takes here must not be left to the levels above by another.
bool is_even(std::span<const Slices> slices, const std::array<int, max_operands>& index) {
  for (std::size_t a = 0; a < slices.size(); ++a) {
    const int taken = slices[a].first + index[a];
    if (taken == 0) continue;
    for (std::size_t b = 0; b < slices.size(); ++b) {
      const int end_b = slices[b].held + slices[b].first + index[b];
      if (end_b < slices[a].held + taken) return false;
    }
  }
  return true;
}

}  // namespace

bool choose_slices(std::span<const Slices> slices, double capacity, MappingType type,
                   std::array<int, max_operands>& further) {
  const std::size_t count = slices.size();
  further.fill(0);
  // Where traffic falls with what the operand that varies fastest takes, its best slice is the largest that
  // fits beside the others.
  const Slices& fastest = slices[count - 1];
  const bool only_largest = type == MappingType::uneven && fastest.falling;
  std::array<int, max_operands> index{};
  double best = std::numeric_limits<double>::infinity();
  bool fits = false;
  for (;;) {
    double bits = 0;
    double traffic = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      bits += slices[i].bits[index[i]];
      traffic += slices[i].traffic[index[i]];
    }
    int last = fastest.count - 1;
    while (last >= 0 && bits + fastest.bits[last] > capacity) --last;
    fits = fits || last >= 0;
    for (int slice = only_largest ? std::max(last, 0) : 0; slice <= last; ++slice) {
      const double total = traffic + fastest.traffic[slice];
      index[count - 1] = slice;
      if (total > best || (type == MappingType::even && !is_even(slices, index))) continue;
      // Of equally good ways the last one counts: it holds more loops of the first operands.
      best = total;
      for (std::size_t i = 0; i < count; ++i) further[i] = slices[i].first + index[i];
    }
    std::size_t digit = count - 1;
    while (digit > 0 && ++index[digit - 1] == slices[digit - 1].count) index[--digit] = 0;
    if (digit == 0) break;
  }
  return fits;
}

}  // namespace zz::core
