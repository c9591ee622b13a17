#include "core/search/temporal/tile_lengths.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/factors.hpp"

namespace zz::core {
namespace {

constexpr std::size_t most_lengths = 8;        ///< of one loop
constexpr std::size_t most_combinations = 64;  ///< of all loops
constexpr std::int64_t few_rounds = 16;        ///< of one loop
constexpr std::int64_t few_steps = 4096;       ///< of all loops
/// Longer loops are asked for the tiles at one cut alone, of which there are at most so many. Of the
/// others lengths may be longer than the rounds by this factor.
constexpr std::int64_t most_chained = 1024, most_tiles = 64, longest = 8;
/// Cost of a length beside its tiles, in tiles.
constexpr double cost_of_length = 6;

std::int64_t count_of_tiles(std::int64_t tile, std::int64_t rounds) { return (rounds - 1) / tile + 1; }

/// The smallest tile for each number of tiles.
std::vector<std::int64_t> smallest_tiles(std::int64_t rounds) {
  std::vector<std::int64_t> tiles;
  for (std::int64_t tile = rounds; tile > 1;
       tile = count_of_tiles(count_of_tiles(tile - 1, rounds), rounds))
    tiles.push_back(tile);
  return tiles;
}

/// The tiles of chains, with a weight: those at one cut matter more.
std::map<std::int64_t, double> wanted_tiles(std::int64_t rounds) {
  std::map<std::int64_t, double> wanted;
  if (rounds <= few_rounds) {
    for (std::int64_t tile = 2; tile < rounds; ++tile) wanted.emplace(tile, 1);
    return wanted;
  }
  std::vector<std::int64_t> open = {1};
  while (!open.empty()) {
    const std::int64_t tile = open.back();
    open.pop_back();
    for (const std::int64_t times : smallest_tiles(count_of_tiles(tile, rounds))) {
      const std::int64_t next = tile * times;
      if (next >= rounds || (rounds > most_chained && count_of_tiles(next, rounds) > most_tiles)) continue;
      if (wanted.emplace(next, 1).second && rounds <= most_chained) open.push_back(next);
    }
  }
  for (const std::int64_t tile : smallest_tiles(rounds))
    if (const auto found = wanted.find(tile); found != wanted.end()) found->second = 3;
  return wanted;
}

/// Divisors that are more than twice the one before.
bool has_few_divisors(std::int64_t rounds) {
  const std::vector<std::int64_t> divisors = divisors_of(rounds);
  for (std::size_t i = 1; i < divisors.size(); ++i)
    if (divisors[i] > 2 * divisors[i - 1]) return true;
  return false;
}

}  // namespace

std::vector<RemainingLoop> lengthened(std::vector<RemainingLoop> loops, const TileLengths& lengths) {
  if (lengths.empty()) return loops;
  for (RemainingLoop& loop : loops)
    if (const std::int64_t length = lengths[static_cast<std::size_t>(loop.dimension)]) loop.size = length;
  return loops;
}

namespace {

std::vector<std::int64_t> find_tile_lengths(std::int64_t rounds) {
  std::map<std::int64_t, double> left = wanted_tiles(rounds);
  for (const std::int64_t divisor : divisors_of(rounds)) left.erase(divisor);
  // By length, what tiles that are left divide it.
  std::map<std::int64_t, std::vector<std::int64_t>> dividing;
  const std::int64_t most = rounds <= most_chained ? longest * rounds : 2 * rounds;
  for (const auto& [tile, weight] : left)
    for (std::int64_t length = tile * count_of_tiles(tile, rounds); length <= most; length += tile)
      dividing[length].push_back(tile);
  std::map<std::int64_t, double> cost;
  for (const auto& [length, tiles] : dividing) {
    double divisors = cost_of_length + 1;
    double count = 1;
    for (const auto& [prime, power] : prime_factors(length)) count *= power + 1;
    divisors += count;
    cost[length] = divisors;
  }
  std::vector<std::int64_t> lengths;
  while (!left.empty() && lengths.size() < most_lengths) {
    std::int64_t best = 0;
    double highest = 0;
    for (const auto& [length, tiles] : dividing) {
      double gain = 0;
      for (const std::int64_t tile : tiles)
        if (const auto found = left.find(tile); found != left.end()) gain += found->second;
      gain /= cost[length];
      if (gain > highest) highest = gain, best = length;
    }
    lengths.push_back(best);
    for (const std::int64_t tile : dividing[best]) left.erase(tile);
  }
  return lengths;
}

}  // namespace

std::vector<std::int64_t> tile_lengths(std::int64_t rounds) {
  // A search asks for the same few again and again.
  thread_local std::map<std::int64_t, std::vector<std::int64_t>> known;
  constexpr std::size_t most_known = 4096;
  if (known.size() == most_known) known.clear();
  const auto [found, is_new] = known.try_emplace(rounds);
  if (is_new) found->second = find_tile_lengths(rounds);
  return found->second;
}

std::vector<TileLengths> chain_lengths(const std::vector<RemainingLoop>& loops, std::size_t layer_loops) {
  double steps = 1;
  for (const RemainingLoop& loop : loops) steps *= static_cast<double>(loop.size);
  const bool every_loop = steps <= few_steps;
  std::vector<TileLengths> combinations = {TileLengths(layer_loops, 0)};
  for (const RemainingLoop& loop : loops) {
    if (!every_loop && (loop.size < 5 || !has_few_divisors(loop.size))) continue;
    const std::size_t before = combinations.size();
    for (const std::int64_t length : tile_lengths(loop.size))
      for (std::size_t i = 0; i < before; ++i) {
        combinations.push_back(combinations[i]);
        combinations.back()[static_cast<std::size_t>(loop.dimension)] = length;
      }
  }
  std::stable_sort(
      combinations.begin(), combinations.end(), [](const TileLengths& a, const TileLengths& b) {
        const auto several = [](const TileLengths& lengths) {
          return lengths.size() - static_cast<std::size_t>(std::count(lengths.begin(), lengths.end(), 0));
        };
        return several(a) < several(b);
      });
  combinations.erase(combinations.begin());
  if (!every_loop && combinations.size() > most_combinations) combinations.resize(most_combinations);
  return combinations;
}

}  // namespace zz::core
