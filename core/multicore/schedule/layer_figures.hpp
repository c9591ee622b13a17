#pragma once
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// A layer of a schedule: its nodes on their cores, one after the other.
struct LayerFigures {
  double energy = 0;   ///< pJ, of the cores and of the memory off the chip
  double latency = 0;  ///< cycles; layers overlap, so that they add up to more than the schedule's
};

/// By layer of the graph. REQUIRES: the schedule has its graph and its costs.
std::vector<LayerFigures> figures_of_layers(const Schedule& schedule);

}  // namespace zz::core
