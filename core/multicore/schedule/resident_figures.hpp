#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// Constants that stay on the cores from one repeat to the next, of the layers that were asked for.
struct ResidentFigures {
  std::vector<int> left_out;  ///< layers of the graph that were asked for and do not stay, in their order
  std::int64_t bits = 0;      ///< of the constants that stay, one copy of each
  /// Cycles and pJ of the transfers that bring these there before the first repeat (Schedule::fill).
  double fill_cycles = 0, fill_energy = 0;
};

/// "the constants of layer 4 'conv', 1152 bits, do not stay: ..." of a layer of the graph that was left
/// out.
std::string does_not_stay(const ComputationNodeGraph& graph, int layer);

/// `asked` is ScheduleChoice::resident. Throws InputError where layers were asked for and none of them
/// stays, naming the one with the smallest constants.
ResidentFigures resident_figures(const Schedule& schedule, const std::vector<int>& asked);

}  // namespace zz::core
