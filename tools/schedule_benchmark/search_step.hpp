#pragma once

namespace zz::tools {

/// A step of the search over cuts, on average, in processor time.
struct SearchStep {
  double nodes = 0;         ///< of the graphs
  double new_cuts_us = 0;   ///< another cut of some layer: graph, costs and schedule
  double new_cores_us = 0;  ///< other cores: a schedule alone
};

/// Random steps from uniform cuts of ResNet-18 on four cores into about so many nodes, one after the other,
/// as a walk of the search makes them. What pieces cost on the cores is a stand-in, and known before the
/// first step.
SearchStep measure_search_step(int nodes, int steps);

}  // namespace zz::tools
