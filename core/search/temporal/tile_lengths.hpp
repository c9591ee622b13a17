#pragma once
#include <cstdint>
#include <vector>

#include "core/mapping/loop_lattice.hpp"

namespace zz::core {

/// Tiles that do not divide their loop, as a search sees them: by *lengths*. A loop of 197 rounds has the
/// tiles 1 and 197 alone; counted as one of 200 it has those that divide 200, and 5 tiles of 40 cover its
/// 197 rounds as the cost model counts them (TilesBelow). So the chains that a lattice of prime factors has
/// are those whose tiles divide one length. No length is a padding: nothing is computed, moved or kept for
/// rounds that the loop does not have.

/// By loop of the layer, the length whose divisors are its tiles; 0: its rounds. Empty: the rounds of all.
using TileLengths = std::vector<std::int64_t>;

/// The rounds that remain in time, or the lengths in their place.
std::vector<RemainingLoop> lengthened(std::vector<RemainingLoop> loops, const TileLengths& lengths);

/// The lengths of a loop of so many rounds, the best first. Up to 16 rounds they have all tiles. Of more
/// rounds they have, of all tiles with the same number of tiles, the smallest one, and in chains the
/// smallest one in tiles of the one before: the others need more room for nothing. At most eight lengths:
/// then some tiles are left out. Empty where the divisors of the rounds have them all.
std::vector<std::int64_t> tile_lengths(std::int64_t rounds);

/// Lengths that compete beside the rounds: all combinations of lengths of the loops, those of one
/// loop first. Where all loops together have at most 4,096 rounds, of every loop. Else of those whose
/// divisors are far apart (one is more than twice the one before), and at most 64 combinations.
std::vector<TileLengths> chain_lengths(const std::vector<RemainingLoop>& loops, std::size_t layer_loops);

}  // namespace zz::core
