#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

/// Reads of tensors that nodes can exchange only together: an operand is exchanged with all tensors that it
/// reads, and a tensor with all operands that read it.
using ExchangeBundle = std::vector<Exchange>;

/// The bundles of a graph that may be exchanged inside of a core: each tensor is written by one node, whole
/// and finished, and read by nodes of other layers, with as many bits for an element and not in blocks;
/// each operand reads nothing else. Core and exchange memory are left open. By the first node that writes.
std::vector<ExchangeBundle> possible_exchanges(const ComputationNodeGraph& graph);

/// The layers whose results are kept from possible_exchanges() only because their numbers are in blocks.
std::vector<std::string> layers_with_blocks_not_exchanged(const ComputationNodeGraph& graph);

/// The memories of a core where nodes can exchange what they know by these memory operands: below the
/// topmost one of each, there once for the whole array. Indices into Accelerator::memories, rising.
std::vector<int> inner_exchange_memories(const Accelerator& core, const std::set<std::string>& operands);

/// Why no node of the graph can exchange anything inside of a core, in words: no core has such a memory, or
/// no nodes have such a tensor that fits into one.
std::string obstacle_to_exchanges(const MultiCoreAccelerator& accelerator,
                                  const ComputationNodeGraph& graph);

/// The questions of what nodes cost that exchange operands inside of their core, each distinct one once.
class ExchangePlan {
 public:
  /// `plan` has the layers of the graph, `costs` are its answers. All must live as long.
  ExchangePlan(const MultiCoreAccelerator& accelerator, const ComputationNodeGraph& graph,
               const CoreCostPlan& plan, const CoreCosts& costs);

  const std::vector<CoreCostQuestion>& questions() const { return questions_; }
  /// CoreCosts::exchanging, by answers to the questions; null where there is no mapping.
  std::vector<ExchangingCost> costs(const std::vector<std::shared_ptr<const Evaluation>>& answers) const;

 private:
  struct Entry {
    int layer = 0, shape = 0, core = 0, memory = 0;
    std::vector<int> exchanged;
    int question = 0;
  };

  const MultiCoreAccelerator& accelerator_;
  const CoreCostPlan& plan_;
  const CoreCosts& costs_;
  std::vector<CoreCostQuestion> questions_;
  std::vector<Entry> entries_;  ///< by layer, shape, core, exchange memory and operands
};

/// The costs of the nodes of a schedule, by Schedule::nodes, with what each of them exchanges inside of its
/// core; null where there is none.
std::vector<const CoreCost*> costs_of_nodes(const Schedule& schedule);

/// By how much that lowers the energy of the schedule, pJ.
double saved_by_exchanges(const Schedule& schedule);

/// Lets nodes of one core exchange tensors inside of it, where the costs of the schedule say how and that
/// takes less energy. Changes nothing but Schedule::exchanges, the energy and its terms.
///
/// A tensor is exchanged only if all nodes that read it run on the core of the one that writes it, if it is
/// never sent anywhere, and if its exchange memory has room for it beside what each node in between needs
/// there. Bundles are taken in turn, each into the exchange memory that saves most, until no other one
/// saves more: a good choice, not always the best one.
void exchange_inside_cores(Schedule& schedule);

}  // namespace zz::core
