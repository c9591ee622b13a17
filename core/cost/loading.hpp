#pragma once
#include <cstdint>

#include "core/cost/transfers.hpp"

namespace zz::core {

/// Cycles before the units can start and after they have finished.
struct Loading {
  double onloading = 0;
  double offloading = 0;
  /// Where the default differs from ZigZag for this mapping (docs/deviations.md).
  bool balance_corrected = false;
  bool half_shared_corrected = false;
};

/// The time to bring the first data from the top memory down to the units and the last results back up,
/// less what fits into spare port cycles during the computation, if these are used.
/// `computation_cycles` includes stalls.
Loading loading_cycles(const CostTables& tables, const Transfers& transfers, const HeldData& data,
                       std::int64_t computation_cycles, bool use_spare_cycles, bool zigzag_compat);

}  // namespace zz::core
