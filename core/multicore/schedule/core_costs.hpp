#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/cost/evaluation.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/capacity_check.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// The costs of one node on one core.
struct CoreCost {
  int core = 0;
  double runtime = 0;         ///< cycles: with loading, without off-loading of the last outputs
  double onchip_energy = 0;   ///< pJ
  double offchip_energy = 0;  ///< pJ, of the off-chip memory for the operands that are streamed
  /// Operands (index into Layer::operands, in equation order) too large for the core: they stream from and
  /// to the off-chip memory while the node runs.
  std::vector<int> streamed;
  /// The demand of streaming on the off-chip memory: whole elements per cycle, as Stream 0.0.8 counts ...
  double stream_read_elements = 0, stream_write_elements = 0;
  /// ... and in the bits that really move for one node.
  double stream_read_bits = 0, stream_write_bits = 0;
  std::shared_ptr<const Evaluation> evaluation;  ///< null when the costs come from elsewhere
};

/// The costs of a node that exchanges some of its operands inside of its core, with the node before it or
/// the next one there: these operands begin or end in a memory below the topmost ones (exchanges.hpp).
struct ExchangingCost {
  int layer = 0, shape = 0;    ///< as of CoreCosts::find
  int memory = 0;              ///< the memory: index into Accelerator::memories of the core
  std::vector<int> exchanged;  ///< index into Layer::operands, rising
  /// Neither longer than without the exchange, nor with more bits that stream.
  CoreCost cost;
};

/// Costs of every layer's nodes on each of its candidate cores.
struct CoreCosts {
  struct OfShape {
    std::vector<CoreCost> on;  ///< in the order of the candidates
  };
  struct OfLayer {
    std::vector<CoreCost> on;      ///< of its largest nodes, in the order of the candidates
    std::vector<OfShape> smaller;  ///< of CutLayer::smaller_pieces, on the same cores

    /// By ComputationNode::shape.
    const std::vector<CoreCost>& of(int shape) const { return shape == 0 ? on : smaller[shape - 1].on; }
  };
  std::vector<OfLayer> layers;  ///< by ComputationNodeGraph::layers
  /// By layer, shape, core, exchange memory and operands; none without inner fusion.
  std::vector<ExchangingCost> exchanging;

  /// The cost of the nodes of one shape. Null when the layer has no cost on the core.
  const CoreCost* find(int layer, int shape, int core) const {
    for (const CoreCost& cost : layers[layer].of(shape))
      if (cost.core == core) return &cost;
    return nullptr;
  }
  const CoreCost* find(const ComputationNode& node, int core) const {
    return find(node.layer, node.shape, core);
  }
  /// The cost of a node that exchanges these operands in that memory of the core. Null when it cannot.
  const CoreCost* find_exchanging(const ComputationNode& node, int core, int exchange_memory,
                                  const std::vector<int>& exchanged) const;
};

/// One question to the cost model of a single core: what does this layer cost on this accelerator? The
/// layer is a node; the accelerator is a core, perhaps with the off-chip memory above its own.
struct CoreCostQuestion {
  std::shared_ptr<const Layer> layer;  ///< its prescribed unrolling is the dataflow of the core
  std::shared_ptr<const Accelerator> accelerator;
  std::string where;  ///< for messages: "layer 'conv1' on core 2 ('tpu_like')"
};

/// Throws InputError, at its place in the mapping file, for each entry that names a core which the
/// accelerator does not have, or by the rules of zz one without units to compute with.
void check_core_allocation(const Workload& workload, const MultiCoreAccelerator& accelerator,
                           const Rules& rules);

/// Sentences on unrollings that entries of the mapping file prescribe, and that are not used, as cores
/// which may run their layers have other dataflows: one for each entry.
std::vector<std::string> unrollings_passed_over(const Workload& workload,
                                                const MultiCoreAccelerator& accelerator);

/// Keeps the better of two answers to a question: the lower latency, then the lower energy, then `kept`,
/// which may be null.
void keep_better_cost(std::shared_ptr<const Evaluation>& kept, std::shared_ptr<const Evaluation> other);

/// The costs of nodes on each candidate core as questions, each distinct one once: identical layers and
/// identical cores share theirs.
///
/// The answers may come in any order and from anywhere; const functions may be called concurrently.
class CoreCostPlan {
 public:
  /// A plan without layers.
  CoreCostPlan(std::shared_ptr<const MultiCoreAccelerator> accelerator, const Rules& rules);
  /// A plan for the layers of a graph. Throws as add(), with every problem.
  CoreCostPlan(std::shared_ptr<const MultiCoreAccelerator> accelerator,
               std::shared_ptr<const ComputationNodeGraph> graph, const Rules& rules);
  ~CoreCostPlan();
  CoreCostPlan(CoreCostPlan&&) noexcept;

  /// Adds a layer, whose nodes have the shapes of `pieces`, the largest first, and need so many bits
  /// (capacity_needs). Returns its number.
  ///
  /// Throws InputError when there is no such core, or a core without units, among its candidates, when it
  /// does not fit the memories of a candidate, when it must stream although there is no off-chip core, or
  /// exceeds every memory.
  int add(const std::vector<std::shared_ptr<const Layer>>& pieces, const OperandBits& needs);

  /// Forgets the layers, but not the questions and their numbers.
  void forget_layers();

  const std::vector<CoreCostQuestion>& questions() const;
  /// The number of the question for the nodes of one shape of a layer on a candidate core; -1: none.
  int question_of(int layer, int shape, int core) const;
  /// The cost of these nodes there, by an answer to that question or to one that asks more of the core.
  CoreCost cost_of(int layer, int shape, int core, const std::shared_ptr<const Evaluation>& answer) const;
  /// The cost of the node in question by its answer, for costs() of any layer; by the physical rules. It
  /// keeps nothing of the answer.
  CoreCost cost_of(std::size_t question, const Evaluation& answer) const;

  /// The costs of a layer. `answers` are those to the questions; null where there is no mapping: that core
  /// is then no candidate, for nodes of any shape. Throws NoResult naming a layer that is left without a
  /// core, with what `reasons`, by question, say about the first.
  CoreCosts::OfLayer costs(int layer, const std::vector<std::shared_ptr<const Evaluation>>& answers,
                           const std::vector<std::string>& reasons = {}) const;
  /// The same by cost_of() of the questions.
  CoreCosts::OfLayer costs(int layer, const std::vector<std::shared_ptr<const CoreCost>>& answers,
                           const std::vector<std::string>& reasons = {}) const;
  /// The table of the costs of all layers.
  CoreCosts costs(const std::vector<std::shared_ptr<const Evaluation>>& answers,
                  const std::vector<std::string>& reasons = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace zz::core
