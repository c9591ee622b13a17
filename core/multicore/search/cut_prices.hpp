#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/search/partition_graph.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Nodes of a layer that have one shape.
struct NodesOfShape {
  int nodes = 1;
  std::int64_t iterations = 1;  ///< of one of them
};

/// One way to cut a layer into computation nodes, with what a node costs on each core that can run it.
struct PricedCut {
  Cut loops;
  std::vector<NodesOfShape> shapes;                 ///< by ComputationNode::shape
  std::shared_ptr<const CoreCosts::OfLayer> costs;  ///< of these; some core runs them
};

/// The shapes of a layer that is cut, as entries of PricedCut.
std::vector<NodesOfShape> nodes_by_shape(const CutLayer& cut_layer);

/// The cuts of each layer that compete, by the layers of a ComputationNodeGraph: ascending id, without
/// layers that only pass data on.
using PricedMenus = std::vector<std::vector<PricedCut>>;

/// Answers questions, by their numbers; null where there is no mapping.
using AnswerQuestions = std::function<std::vector<std::shared_ptr<const Evaluation>>(
    const std::vector<CoreCostQuestion>& questions, std::vector<std::string>& reasons)>;

/// Key of the costs of a node of a layer that is cut in one way: a layer, a cut of it, and what a node of
/// it needs in the memory of a core, which the cuts of its neighbours bear on (capacity_needs).
struct CutKey {
  int layer = 0, cut = 0;
  OperandBits needs;

  bool operator<(const CutKey& other) const {
    return std::tie(layer, cut, needs) < std::tie(other.layer, other.cut, other.needs);
  }
};

/// The costs of cuts on each core, each asked once. Which of them are asked is up to the caller.
class CutPrices {
 public:
  CutPrices(std::shared_ptr<const MultiCoreAccelerator> accelerator, AnswerQuestions answer);

  /// Null when it was not asked yet; empty when no core can run it. [any, but not during ask()]
  std::shared_ptr<const CoreCosts::OfLayer> find(const CutKey& cut) const;

  /// Finds the costs of cuts that are not known; `pieces` are the shapes of their nodes, the largest first.
  /// Known ones are passed over. An exception of an answer ends it: none of these costs is known then, and
  /// nothing more may be asked.
  void ask(const std::vector<CutKey>& cuts,
           const std::vector<std::vector<std::shared_ptr<const Layer>>>& pieces);

  /// Questions about costs, and how many of them are answered.
  std::size_t asked() const { return plan_.questions().size(); }
  std::size_t answered() const { return answers_.size(); }
  /// Why no core can run a layer that is cut so; empty when one can, or it was not asked.
  const std::string& reason(int layer, int cut) const;
  /// All that are known.
  const std::map<CutKey, std::shared_ptr<const CoreCosts::OfLayer>>& known() const { return known_; }

 private:
  void ask_unknown(const std::vector<CutKey>& cuts,
                   const std::vector<std::vector<std::shared_ptr<const Layer>>>& pieces);

  CoreCostPlan plan_;
  AnswerQuestions answer_;
  std::vector<std::shared_ptr<const Evaluation>> answers_;  // by the questions of the plan
  std::vector<std::string> reasons_;
  std::map<CutKey, std::shared_ptr<const CoreCosts::OfLayer>> known_;
  std::map<std::pair<int, int>, std::string> reason_of_cut_;
};

/// Finds what every cut costs, twice: with the least that its nodes can need in the memory of a core, and
/// with inputs that arrive as whole as they can. What neighbours are cut into decides between the two.
///
/// Throws NoResult, naming the layer and its smallest piece, when no core can run a layer however it is
/// cut.
void price_menus(PartitionGraphs& graphs, CutPrices& costs, const ParallelFor& parallel);

/// All costs that are known, as the bounds want them. Cuts that differ in their order only are one.
PricedMenus priced_menus(PartitionGraphs& graphs, const CutPrices& costs);

}  // namespace zz::core
