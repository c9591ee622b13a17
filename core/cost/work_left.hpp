#pragma once
#include "core/mapping/spatial_mapping.hpp"

namespace zz::core {

struct Accelerator;
struct Layer;

/// Shares of a layer's work that zeros leave to an array whose units look for them (`on_zero`), as expected
/// values (expected_zeros.hpp). All 1 where nothing is skipped or gated.
///
/// A *round* is a step of the mapping: each unit of the unrolling has one operation. A unit has nothing to
/// do in it where an element of an operand is zero that is skipped or gated.
///
/// * operations: those of which no such element is zero, the product of the densities. They cost energy.
/// * useful: the same with skipped operands alone, the cycles of a unit that waits for no other.
/// * rounds: with `skip_together` those in which some unit has something to do, because the slowest unit
///   of a round counts; units that share an element skip it together. Else as `useful`.
///
/// Units share what the unrolled loops say: with A units along loops of W alone, B along loops of I alone
/// and C along loops of both, and densities w and i of operands that are skipped,
///
///   rounds = 1 - (1 - (1 - (1 - w)^A) (1 - (1 - i)^B))^C;
///
/// where both loops of a window are unrolled, the sum over all sets of filter positions at which some of A
/// is not zero; beyond most_filter_units of them each round counts as made. In rounds that are not full
/// there are fewer units; rounds are averaged over.
///
/// Between the units and their lowest memories nothing takes time for rounds that are skipped
/// (LevelTransfer::passing).
///
/// A pattern N:M that is skipped along a loop in time leaves N of M rounds, the same for all units, which
/// move the nonzeros of a block together. Units that have the loop side by side cannot: a round of theirs
/// is made unless all of them have zeros, whose probability follows from the places of N in M.
struct WorkLeft {
  double operations = 1, useful = 1, rounds = 1;
};

/// Positions of a filter unrolled at once where all sets of them are counted. docs/limits.md names it.
inline constexpr int most_filter_units = 12;

/// `fractional`: units by loop, on average over rounds. Throws InputError, by name, for zeros in a pattern
/// and others that are skipped together.
WorkLeft work_left(const Accelerator& accelerator, const Layer& layer, const SpatialMapping& fractional);
/// The same for any unrolling: `rounds` are the fewest that one can leave, those of `useful`.
WorkLeft least_work_left(const Accelerator& accelerator, const Layer& layer);

}  // namespace zz::core
