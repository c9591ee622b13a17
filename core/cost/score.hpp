#pragma once

namespace zz::core {

/// The figures that searches compare, bit for bit those of CostModel::evaluate(); NaN where that has no
/// result.
struct Score {
  double energy_total = 0;    ///< pJ
  double latency_total2 = 0;  ///< cycles
  double latency_total0 = 0;  ///< cycles, without loading and off-loading
};

}  // namespace zz::core
