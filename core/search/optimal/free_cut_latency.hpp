#pragma once
#include "core/search/optimal/search_problem.hpp"

namespace zz::core {

/// How long a search goes on before it looks at things from another side, in partial mappings. Nothing else
/// than the time depends on it.
struct SearchPace {
  std::size_t labels_at_once = 512;   ///< before another part has its turn
  std::size_t before_haste = 1024;    ///< of one part without a mapping, before looking for any good one
  std::size_t before_rooms = 1024;    ///< of one part, before bounds in one order, and before rooms split
  std::size_t before_classes = 2048;  ///< of one part without a mapping, before it is split by class
};

/// The best mapping for a goal that needs the latency, among all orders of all prime factors and all cuts
/// that fit into the memories. `incumbent` is a mapping to start from, with its value for the goal;
/// `least_energy` a lower bound of the energy.
///
/// Mappings are split by which tensors end up whole in which memory (Ending). What is left of the latency
/// then follows from sums over links (LatencyCosts), and LabelSearch finds the mapping that is best by
/// these. Where its figure is not what the cost model says, the part is looked at more closely: first by
/// what cannot be hidden of each load, then split by how hiding ends at a port (LoadingAtEnding), or by how
/// long mappings stall; in the end all mappings are looked at whose bound is below the best. A part in
/// which no mapping is found for long is split by what the lowest memories hold (FirstClasses), which
/// tightens its bound from the first loop on. A part that takes long is bounded by what all operands cost
/// in one order (RemainingInOneOrder), energy and latency together, or ports together
/// (EnergyAgainstLatency), and then split by how much room operands take (Rooms).
Certificate find_least_latency(const SearchProblem& problem, const Goal& goal, const Certificate& incumbent,
                               double least_energy, const SearchLimits& limits,
                               const SearchPace& pace = {});

}  // namespace zz::core
