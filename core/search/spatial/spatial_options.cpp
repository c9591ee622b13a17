#include "core/search/spatial/spatial_options.hpp"

#include <algorithm>
#include <numeric>

namespace zz::core {
namespace {

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> result;
  for (std::int64_t candidate = 1; candidate <= number; ++candidate) {
    if (number % candidate == 0) result.push_back(candidate);
  }
  return result;
}

/// The next combination of positions below `count` in lexicographic order; false after the last.
bool next_combination(std::vector<std::size_t>& positions, std::size_t count) {
  std::size_t moving = positions.size();
  while (moving > 0 && positions[moving - 1] == count - positions.size() + moving - 1) --moving;
  if (moving == 0) return false;
  ++positions[moving - 1];
  for (std::size_t i = moving; i < positions.size(); ++i) positions[i] = positions[i - 1] + 1;
  return true;
}

}  // namespace

SpatialOptions::SpatialOptions(const std::vector<int>& loops, const std::vector<std::int64_t>& maxima,
                               std::int64_t size, bool mixed)
    : hinted_(loops) {
  for (const std::int64_t maximum : maxima) divisors_.push_back(divisors(maximum));
  for (std::size_t i = 0; i < hinted_.size(); ++i) {
    std::for_each(divisors_[i].rbegin(), divisors_[i].rend(), [&](std::int64_t factor) {
      add(std::vector<UnrolledIndex>{{hinted_[i], factor}});
    });
  }
  for (std::size_t count = 2; mixed && count <= hinted_.size(); ++count) {
    std::vector<std::size_t> positions(count);
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    std::vector<UnrolledIndex> prefix;
    do {
      add_products(positions, size, prefix);
    } while (next_combination(positions, hinted_.size()));
  }
}

void SpatialOptions::add(std::span<const UnrolledIndex> option) {
  std::int64_t units = 1;
  std::int64_t largest = 1;
  for (const UnrolledIndex& unrolled : option) {
    loops_.push_back(unrolled);
    units *= unrolled.factor;
    largest = std::max(largest, unrolled.factor);
  }
  first_.push_back(loops_.size());
  units_.push_back(units);
  largest_.push_back(largest);
}

/// The last loop of the combination varies fastest.
void SpatialOptions::add_products(std::span<const std::size_t> positions, std::int64_t room,
                                  std::vector<UnrolledIndex>& prefix) {
  if (prefix.size() == positions.size()) {
    add(prefix);
    return;
  }
  const std::size_t position = positions[prefix.size()];
  for (const std::int64_t factor : divisors_[position]) {
    if (factor == 1) continue;
    if (factor > room) break;  // ascending
    prefix.push_back({hinted_[position], factor});
    add_products(positions, room / factor, prefix);
    prefix.pop_back();
  }
}

}  // namespace zz::core
