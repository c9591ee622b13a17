#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::test {

struct BruteForce {
  std::array<double, 3> least;  ///< by core::Objective
  /// The least latency of the mappings with the least energy, and the other way round.
  std::array<double, 3> second;
  /// Among these the least cycles of all ports, the busiest first, and the most.
  std::array<std::vector<double>, 3> least_busy, most_busy;
  std::array<core::CompactMapping, 3> mapping;
  std::int64_t mappings = 0;
};

/// Evaluates every order of all prime factors with every way to cut it that fits into the memories. Shares
/// nothing with the searches but the cost model. For a handful of loops. Mappings beyond the limits do not
/// count.
BruteForce try_everything(const core::MappingProblem& problem, const core::MappingLimits& within = {});

/// The same with all chains of tiles, of which only the outermost loop need not divide the rounds.
BruteForce try_every_chain(const core::MappingProblem& problem);

}  // namespace zz::test
