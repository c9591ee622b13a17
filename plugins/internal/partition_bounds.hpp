#pragma once
#include <algorithm>
#include <string_view>

#include "core/cost/evaluation.hpp"

/// The metrics by which a search over cuts tells, with every result, what no choice of cuts, cores and
/// order can be below.
namespace zz::plugins::partition_bounds {

inline constexpr const char* latency = "partition_latency_bound";
inline constexpr const char* energy = "partition_energy_bound";
inline constexpr const char* edp = "partition_edp_bound";

/// One of them, or 0 for a result that has none.
inline double of(const core::Evaluation& evaluation, std::string_view name) {
  const auto found = std::find_if(evaluation.metrics.begin(), evaluation.metrics.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == evaluation.metrics.end() ? 0 : found->second;
}

}  // namespace zz::plugins::partition_bounds
