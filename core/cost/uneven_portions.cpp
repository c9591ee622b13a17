#include "core/cost/uneven_portions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace zz::core {

UnevenPortions::UnevenPortions(const CostTables& tables, int operand, const TilesBelow& tiles, int levels)
    : tables_(tables),
      operand_(tables.operands[operand]),
      unrolling_(tables.fractional[operand]),
      leading_(operand == tables.leading) {
  for (int dimension = 0; dimension < tables.dimensions; ++dimension)
    extents_[dimension] = extent_of(dimension, tiles, levels);
}

UnevenPortions::Extent UnevenPortions::extent_of(int dimension, const TilesBelow& tiles, int levels) {
  double inside = 1, outside = 1;
  for (int level = 0; level <= operand_.levels; ++level)
    for (const UnrolledFactor& loop : unrolling_.loops[level])
      if (loop.dimension == dimension)
        (level < levels ? inside : outside) *= std::ceil(snapped(loop.factor));
  instances_ *= outside;
  const auto whole = static_cast<double>(tiles.whole(dimension));
  const auto last = static_cast<double>(tiles.last(dimension));
  const auto in_time = static_cast<double>(tiles.tiles(dimension));
  const double full = ((in_time - 1) * whole + last) * inside * outside;
  const double iterations = std::min(full, tables_.iterations[dimension]);
  Extent extent;
  if (iterations == full) {
    extent.sizes[0] = {whole * inside, (last == whole ? in_time : in_time - 1) * outside};
    if (last != whole) extent.sizes[1] = {last * inside, outside};
  } else if (leading_ && last == whole) {
    const double tile = whole * inside, tiles_filled = std::floor(iterations / tile);
    extent.sizes[0] = {tile, tiles_filled};
    if (iterations > tiles_filled * tile) extent.sizes[1] = {iterations - tiles_filled * tile, 1};
  } else {
    extent.open = true;
    extent.sizes[0] = {std::min(whole * inside, iterations), std::min(in_time * outside, iterations)};
    extent.average = iterations / extent.sizes[0].portions;
  }
  return extent;
}

double UnevenPortions::words(const TileBits& stored, double word) const {
  std::array<double, max_loop_dimensions> iterations;
  return words_from(0, 1, stored, word, iterations);
}

/// Portions that differ only in loops that the operand has not are alike.
double UnevenPortions::words_from(int dimension, double portions, const TileBits& stored, double word,
                                  std::array<double, max_loop_dimensions>& iterations) const {
  if (portions == 0) return 0;
  if (dimension == tables_.dimensions) return portions * words_of(iterations, stored, word);
  const Extent& extent = extents_[dimension];
  const Relevancy relevancy = operand_.relevancy[dimension];
  if (relevancy != Relevancy::relevant && relevancy != Relevancy::partially_relevant)
    return words_from(dimension + 1, portions * (extent.sizes[0].portions + extent.sizes[1].portions),
                      stored, word, iterations);
  double words = 0;
  for (const Extent::Size& size : extent.sizes) {
    iterations[dimension] = size.iterations;
    words +=
        words_from(dimension + 1, extent.open && size.portions > 0 ? portions : portions * size.portions,
                   stored, word, iterations);
  }
  return words;
}

bool UnevenPortions::is_open(const Window& window) const {
  return (window.output_loop >= 0 && extents_[window.output_loop].open) ||
         (window.filter_loop >= 0 && extents_[window.filter_loop].open);
}

/// Words of one portion of these iterations; of all those whose sizes are not known.
double UnevenPortions::words_of(const std::array<double, max_loop_dimensions>& iterations,
                                const TileBits& stored, double word) const {
  double known = 1, fullest = 1, average = 1, open = 1;
  for (int loop = 0; loop < tables_.dimensions; ++loop) {
    const Extent& extent = extents_[loop];
    const Relevancy relevancy = operand_.relevancy[loop];
    if (relevancy != Relevancy::relevant && relevancy != Relevancy::partially_relevant) continue;
    if (extent.open) open *= extent.sizes[0].portions;
    if (relevancy == Relevancy::partially_relevant) continue;
    if (!extent.open) {
      known *= iterations[loop];
      continue;
    }
    fullest *= iterations[loop];
    average *= extent.average;
  }
  if (operand_.has_relations) {
    for (const Window& window : tables_.windows) {
      const auto most = static_cast<double>(window.count([&](int loop) { return iterations[loop]; }));
      if (!is_open(window)) {
        known *= most;
        continue;
      }
      fullest *= most;
      average *= window.average(
          [&](int loop) { return extents_[loop].open ? extents_[loop].average : iterations[loop]; });
    }
  }
  const auto of_portion = [&](int loop) { return iterations[loop]; };
  if (stored.beside()) {
    const double of_fullest = std::ceil(stored.of_tile(known * fullest, of_portion) / word);
    if (open == 1) return of_fullest;
    const auto of_average = [&](int loop) {
      return extents_[loop].open ? extents_[loop].average : iterations[loop];
    };
    const double bits = known * average * open * stored.of_element_at_most(of_average);
    return std::min(open * of_fullest, std::floor(snapped((bits + open * (word - 1)) / word)));
  }
  const double precision = stored.data();
  const double of_fullest = std::ceil(known * fullest * precision / word);
  if (open == 1) return of_fullest;
  // Bits of a portion are a multiple of the step, and so is what is missing in its last word.
  const auto step = static_cast<double>(
      std::gcd(static_cast<std::int64_t>(known * precision), static_cast<std::int64_t>(word)));
  const double bits = known * average * open * precision;
  return std::min(open * of_fullest, std::floor(snapped((bits + open * (word - step)) / word)));
}

}  // namespace zz::core
