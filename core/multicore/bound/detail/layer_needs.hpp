#pragma once
#include <utility>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Needs of a layer with one of its cuts on one core, at least. A layer whose nodes run on several cores
/// needs a mixture, by the shares of the nodes. Resources are the cores and then the links.
struct LayerOption {
  int core = 0;
  double energy = 0;                           ///< pJ
  std::vector<std::pair<int, double>> cycles;  ///< by resource, where not zero
  /// Cycles on the core if all iterations cost as little as those of the cheapest node.
  double least_work = 0;
};

/// By how much less all layers need together than the sum of their options.
struct CommonSaving {
  double energy = 0;                           ///< pJ
  std::vector<std::pair<int, double>> cycles;  ///< by resource, where not zero
};

/// Needs of a network, layer by layer, whatever the partition.
struct LayerNeeds {
  int cores = 0, resources = 0;
  /// By layer; those that another one undercuts in everything are left out.
  std::vector<std::vector<LayerOption>> options;
  std::vector<double> shortest_node;  ///< by layer: cycles of its shortest node
  /// By layer and loop: whether some cut names the loop.
  std::vector<std::vector<char>> cut_loops;
  double constant_room = 0;  ///< bits of all memories of cores that constants may be in
  /// In the steady state: at most, when the constants of some layers stay from repeat to repeat.
  CommonSaving saved_by_staying;
};

/// `whole` is the network with each layer in one piece. The needs of an option are those of so many
/// samples; its least_work is of one.
LayerNeeds layer_needs(const Workload& workload, const ComputationNodeGraph& whole,
                       const MultiCoreAccelerator& accelerator, const PricedMenus& menu, int samples = 1);

}  // namespace zz::core
