#include "core/cost/tiles_below.hpp"

#include <algorithm>

namespace zz::core {
namespace {

using Rounds = std::array<std::int64_t, max_loop_dimensions>;

Rounds products(const CostTables& tables, const CompactMapping& mapping, int loops) {
  Rounds rounds;
  std::fill_n(rounds.begin(), tables.dimensions, 1);
  for (int loop = 0; loop < loops; ++loop) rounds[mapping.dimension[loop]] *= mapping.size[loop];
  return rounds;
}

}  // namespace

Rounds walked_rounds(const CostTables& tables, const CompactMapping& mapping) {
  Rounds rounds = products(tables, mapping, mapping.loops);
  for (int dimension = 0; dimension < tables.dimensions; ++dimension)
    rounds[dimension] = std::min(rounds[dimension], tables.rounds[dimension]);
  return rounds;
}

std::int64_t all_steps(const CostTables& tables, const CompactMapping& mapping) {
  const Rounds rounds = walked_rounds(tables, mapping);
  std::int64_t steps = 1;
  for (int dimension = 0; dimension < tables.dimensions; ++dimension) steps *= rounds[dimension];
  return steps;
}

bool is_ragged(const CostTables& tables, const CompactMapping& mapping) {
  const Rounds rounds = products(tables, mapping, mapping.loops);
  for (int dimension = 0; dimension < tables.dimensions; ++dimension)
    if (rounds[dimension] > tables.rounds[dimension]) return true;
  return false;
}

TilesBelow::TilesBelow(const CostTables& tables, const CompactMapping& mapping, int inside)
    : dimensions_(tables.dimensions) {
  whole_ = products(tables, mapping, inside);
  Rounds all = whole_;
  for (int loop = inside; loop < mapping.loops; ++loop) all[mapping.dimension[loop]] *= mapping.size[loop];
  for (int dimension = 0; dimension < dimensions_; ++dimension) {
    const std::int64_t walked = std::min(all[dimension], tables.rounds[dimension]);
    std::int64_t& whole = whole_[dimension];
    const bool once = whole >= walked;
    if (once) {
      whole = walked;
      once_ |= LastTiles{1} << dimension;
    }
    tiles_[dimension] = once ? 1 : (walked + whole - 1) / whole;
    last_[dimension] = walked - (tiles_[dimension] - 1) * whole;
    if (last_[dimension] < whole) ragged_ |= LastTiles{1} << dimension;
  }
}

std::int64_t TilesBelow::steps(LastTiles last) const {
  std::int64_t steps = 1;
  for (int dimension = 0; dimension < dimensions_; ++dimension) steps *= rounds(dimension, last);
  return steps;
}

std::int64_t TilesBelow::portions() const {
  std::int64_t portions = 1;
  for (int dimension = 0; dimension < dimensions_; ++dimension) portions *= tiles_[dimension];
  return portions;
}

std::vector<TilesBelow::Size> TilesBelow::sizes() const {
  std::vector<Size> sizes{{once_, 1, 1}};
  for (int dimension = 0; dimension < dimensions_; ++dimension) {
    const bool two = (ragged_ >> dimension & 1) != 0;
    const std::size_t known = sizes.size();
    for (std::size_t size = 0; size < known; ++size) {
      Size& with_whole = sizes[size];
      Size with_last = with_whole;
      with_whole.steps *= whole_[dimension];
      with_whole.portions *= tiles_[dimension] - (two ? 1 : 0);
      if (!two) continue;
      with_last.last |= LastTiles{1} << dimension;
      with_last.steps *= last_[dimension];
      sizes.push_back(with_last);
    }
  }
  return sizes;
}

}  // namespace zz::core
