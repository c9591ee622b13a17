#pragma once
#include <array>
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/search/optimal/temporal_space.hpp"

namespace zz::core {

/// The energy of a mapping as a sum over links: link 0 of an operand leads from the units to its lowest
/// memory, link k from its memory k-1 to memory k. What a link costs follows from the loops below it alone.
struct LinkEnergy {
  LinkEnergy(const CostTables& tables, const TemporalSpace& space, bool same_data_free);

  /// pJ by vector; infinite where partial sums would need a port that is not there. Link 0 of an input is
  /// to be read at the loops that are irrelevant to it; of the output it is the same everywhere.
  std::array<std::vector<std::vector<double>>, max_operands> links;
  double constant = 0;  ///< pJ that every mapping costs
};

}  // namespace zz::core
