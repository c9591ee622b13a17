#pragma once
#include <vector>

#include "core/search/optimal/operand_portions.hpp"

namespace zz::core {

/// What one operand asks of the ports at least, had it the order of the loops for itself, by how many of
/// its links between memories are closed before all loops are placed: transfers over these, and to the
/// units, are repeated, those further out are made once. Each figure is the least by itself, in cycles
/// unless said otherwise. The figures of a link are least with all irrelevant loops below it.
struct OperandLatency {
  /// Which links are waited for: of an input, all or those whose ports on both sides serve both inputs
  /// (core/cost/loading.hpp); of the output all.
  enum Counted { none, shared, all, ways };

  struct OnPort {
    double load = 0;      ///< of repeated transfers, all portions but the first
    double stalls = 0;    ///< by which repeated transfers take longer than their portions last
    double required = 0;  ///< bits per cycle while the units compute
    /// `load` or `stalls` together with waiting for the first (or last) portions of repeated links: where
    /// one of them is small the other is large.
    double load_and_waiting[ways] = {}, stalls_and_waiting[ways] = {};
    double once[ways] = {};   ///< of transfers that are made once, if nothing is hidden
    double floor[ways] = {};  ///< what of that cannot be hidden
  };
  struct Ending {
    bool possible = false;
    double waiting[ways] = {};  ///< for the first or last portions of repeated links
    std::vector<OnPort> ports;  ///< as CostTables::ports
  };
  std::vector<Ending> endings;  ///< by the number of links closed before the end, link 0 aside
};

OperandLatency operand_latency(OperandPortions& portions, const CostTables& tables, int operand);

}  // namespace zz::core
