#pragma once
#include <cstdint>
#include <vector>

#include "core/search/temporal/best_by_score.hpp"

#include "tools/kernel_benchmark/kernel_cases.hpp"

namespace zz::tools {

/// A search for the best order, of at most `factor_limit` loop factors (0: all). The number of
/// orders that it covers.
std::int64_t find_best_order(const KernelCase& entry, int factor_limit,
                             const std::vector<core::Objective>& metrics);

}  // namespace zz::tools
