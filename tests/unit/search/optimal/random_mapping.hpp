#pragma once
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "core/search/optimal/detail/latency_sums.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::test {

/// A mapping, with the state of a search that found it.
struct SampledMapping {
  core::CompactMapping mapping;
  core::FinalResidency residency{};
  /// Loops below boundary k, where it is closed: [operand][k].
  std::array<std::array<std::size_t, core::max_memory_levels>, core::max_operands> below{};
  /// Iterations of the outermost irrelevant loops of the level below it.
  std::array<std::array<std::int64_t, core::max_memory_levels>, core::max_operands> kept{};
  /// Loops below the first one that changes the operand; none: nothing changes it.
  std::array<std::optional<std::size_t>, core::max_operands> unchanged{};
};

/// Any order and any cuts. Nothing: these cuts did not fit.
std::optional<SampledMapping> random_mapping(const core::SearchProblem& problem, std::mt19937& random);

/// The memory below the boundary holds partial sums.
bool holds_sums(const core::SearchProblem& problem, const SampledMapping& sample, int operand,
                int boundary);

/// The sums over its boundaries by component of LatencyCosts, with the second buffers that it has.
std::vector<double> sums_of(const core::SearchProblem& problem, const core::LatencyCosts& costs,
                            const SampledMapping& sample);

}  // namespace zz::test
