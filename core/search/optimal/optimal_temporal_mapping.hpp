#pragma once
#include "core/mapping/temporal_mapping.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// Which temporal mappings compete. Their loops are the prime factors of the loops that remain in time.
enum class MappingSpace {
  free_cuts,  ///< every order; each operand is cut at each of its memories wherever it fits
  loma,       ///< every order of these and of all coarser factors, cut by LOMA's greedy allocation
};

struct OptimumOptions {
  Objective objective = Objective::energy;
  MappingSpace space = MappingSpace::free_cuts;
  SearchLimits limits = {};
  /// Also search the mappings of least latency for one of least energy, or the other way round. This second
  /// search has what is left of `limits`, and may look at twice as many states as the first one plus 256
  /// (energy) or 4096 (latency). Without effect in LOMA's space and for the EDP.
  bool break_ties = true;
  /// Tiles that do not divide their loop compete as well (competing_lengths), where cuts are free.
  bool chains = false;
  /// REQUIRES: none, unless cuts are free.
  MappingLimits allowed = {};
};

/// The best temporal mapping of a problem, with a proof. docs/optimal-mapping.md explains the algorithm.
///
/// Where the mapping file gives the order and its cuts, that mapping is the only one, and costs as much.
///
/// Deterministic unless a limit of time or memory ends the search. Safe to call from several threads.
/// Throws InputError for a problem that cannot be searched (an output addressed through a sliding window,
/// too many loops), and NoResult when no mapping fits into the memories, or none is within the limits.
Certificate find_optimal_mapping(const MappingProblem& problem, const OptimumOptions& options);

/// Tiles that do not divide their loop can compete: no order is given, no figures of ZigZag or Stream are
/// asked for, and the array has no keys and computes nothing in memory, nor do ports make requests.
bool may_have_chains(const Layer& layer, const Accelerator& accelerator, const Rules& rules);

/// Lengths that compete under one spatial mapping beside the rounds of its loops (chain_lengths); of those
/// with more than 2^18 multisets none. Empty where there are none, or may_have_chains() says so.
std::vector<TileLengths> competing_lengths(const MappingProblem& problem);

/// The mapping with the names of loops and operands.
TemporalMapping readable(const CompactMapping& mapping, const Layer& layer,
                         const SpatialMapping& spatial_mapping);

}  // namespace zz::core
