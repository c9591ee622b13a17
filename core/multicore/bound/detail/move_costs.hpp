#pragma once
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/bound/detail/uncut_network.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// Least costs of moving a bit, pJ: reading, links and writing, over the cores that may run a layer.
/// Borrows what it is made of.
class MoveCosts {
 public:
  /// `cores`: by layer of `whole`, the cores that some cut can run on.
  MoveCosts(const MultiCoreAccelerator& accelerator, const ComputationNodeGraph& whole,
            const std::vector<std::vector<int>>& cores)
      : accelerator_(accelerator), whole_(whole), cores_(cores), offchip_(*accelerator.offchip_core) {}

  /// An operand from the off-chip memory to a core.
  double fetch(int layer, int operand) const;
  /// An output to the off-chip memory.
  double write(int layer) const;
  /// An output to its reader, from where it was made, or from the off-chip memory, should it be there.
  double pass_on(const DirectInput& input) const;

 private:
  int memory(int core, int layer, int operand) const;
  double move(int from, int source, int to, int target) const;

  const MultiCoreAccelerator& accelerator_;
  const ComputationNodeGraph& whole_;
  const std::vector<std::vector<int>>& cores_;
  int offchip_;
};

}  // namespace zz::core
