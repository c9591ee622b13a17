#pragma once
#include <cstdint>

#include "core/cost/memory_use.hpp"
#include "core/cost/transfers.hpp"

namespace zz::core {

/// Cycles that a transfer occupies its port per portion: 0 without a port.
std::int64_t real_cycles(const CostTables& tables, const Transfers& transfers, const Service& service);

/// Cycles for which the units wait for memory ports while they compute: the largest over all ports, 0 when
/// none falls behind. (L. Mei et al., A Uniform Latency Model for DNN Accelerators, DATE 2022.)
std::int64_t stall_cycles(const CostTables& tables, const Transfers& transfers, const MemoryUse& use);

}  // namespace zz::core
