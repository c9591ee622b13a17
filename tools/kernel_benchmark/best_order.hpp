#pragma once
#include <cstdint>
#include <vector>

#include "core/search/loma/best_order_search.hpp"

#include "tools/kernel_benchmark/kernel_cases.hpp"

namespace zz::tools {

/// False: nothing can be bounded, or there are too few orders for it to pay.
bool has_bounds(const KernelCase& entry, int factor_limit);

/// A search for the best order with bounds, of at most `factor_limit` loop factors (0: all). The number of
/// orders that it covers.
std::int64_t find_best_order(const KernelCase& entry, int factor_limit,
                             const std::vector<core::OrderMetric>& metrics);

}  // namespace zz::tools
