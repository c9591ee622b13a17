#pragma once
#include <cstdint>

#include "core/cost/score.hpp"

#include "tools/kernel_benchmark/kernel_cases.hpp"

namespace zz::tools {

struct EveryOrder {
  std::int64_t evaluations = 0;  ///< orders that fit into the memories
  core::Score least;             ///< of each figure its smallest value
};

/// One search from its start: every distinct order of at most `factor_limit` loop factors is allocated and
/// evaluated in full, none is left out and no score is used twice.
EveryOrder evaluate_every_order(const KernelCase& entry, int factor_limit);

}  // namespace zz::tools
