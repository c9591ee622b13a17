#pragma once
#include <span>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/latency.hpp"

namespace zz::core {

/// The figures that searches compare, bit for bit those of CostModel::evaluate(); NaN where that has no
/// result.
struct Score {
  double energy_total = 0;    ///< pJ
  double latency_total2 = 0;  ///< cycles
  double latency_total0 = 0;  ///< cycles, without loading and off-loading
};

/// Cost of all boundaries of a mapping together.
struct CombinedCost {
  double memory_energy = 0;  ///< pJ, of all accesses
  double mac_energy = 0;     ///< pJ, of the operations
  double energy_total = 0;   ///< pJ
  Latency latency;
  /// Something has no port to go through: the mapping is not possible on this accelerator.
  bool missing_port = false;

  Score score() const;
};

/// Sums energies up and times the ports; see latency_of() about the arguments. Allocates nothing.
CombinedCost combine(const CostTables& tables, const CostModelOptions& options,
                     const Boundaries& boundaries, const CompactMapping& mapping,
                     std::span<const BoundaryCost* const> costs);

}  // namespace zz::core
