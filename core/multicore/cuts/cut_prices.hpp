#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/multicore/cuts/partition_graph.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Nodes of a layer that have one shape.
struct NodesOfShape {
  int nodes = 1;
  std::int64_t iterations = 1;  ///< of one of them in a sample
};

/// By core: the first one that has the same file. A chip may have dozens of one kind, of which costs are
/// asked and kept once.
std::vector<int> core_kinds(const MultiCoreAccelerator& accelerator);

/// The cores of the most common kind: those over which plans have their grids and rows.
std::vector<int> equal_cores(const MultiCoreAccelerator& accelerator);

/// True if these cores are the candidates of a layer, and no others: slots number candidates.
bool runs_on(const Layer& layer, const std::vector<int>& cores);

/// The candidates of a layer, each once in their order, each with the one whose costs it has in a row of
/// these candidates or of one of each kind; without those that have none.
std::vector<std::pair<int, int>> cores_with_costs(const Layer& layer, const std::vector<int>& kinds,
                                                  const CoreCosts::OfLayer& row);

/// The row with an entry for each of these cores.
CoreCosts::OfLayer with_all_cores(const CoreCosts::OfLayer& row,
                                  const std::vector<std::pair<int, int>>& cores);

/// One way to cut a layer into computation nodes, with what a node costs on each core that can run it.
struct PricedCut {
  Cut loops;
  std::vector<NodesOfShape> shapes;  ///< by ComputationNode::shape
  /// Costs of these; some core runs them. Of cores of one kind one may stand for all.
  std::shared_ptr<const CoreCosts::OfLayer> costs;
  int samples = 1;  ///< in each node; `shapes` are of one
  /// The same nodes with loops in another order, or spread otherwise, and then in other groups.
  std::vector<Cut> grouped_otherwise;
};

/// The shapes of a layer that is cut, as entries of PricedCut.
std::vector<NodesOfShape> nodes_by_shape(const CutLayer& cut_layer);

/// The cuts of each layer that compete, by the layers of a ComputationNodeGraph: ascending id, without
/// layers that only pass data on.
using PricedMenus = std::vector<std::vector<PricedCut>>;

/// Answers questions, by their numbers; null where there is no mapping.
using AnswerQuestions = std::function<std::vector<std::shared_ptr<const Evaluation>>(
    const std::vector<CoreCostQuestion>& questions, std::vector<std::string>& reasons)>;

/// A mapping that was found quickly, and figures that none is below that the answer to the question may
/// have.
struct FirstAnswer {
  std::shared_ptr<const Evaluation> found;  ///< not null
  double least_runtime = 0;                 ///< cycles, as CoreCost::runtime
  double least_energy = 0;                  ///< pJ, with that of the off-chip memory
};

/// First answers to questions, by their numbers; nothing where only the answer will do.
using FirstAnswers =
    std::function<std::vector<std::optional<FirstAnswer>>(const std::vector<CoreCostQuestion>& questions)>;

/// Key of the costs of a node of a layer that is cut in one way: a layer, a cut of it, and what a node of
/// it needs in the memory of a core, which the cuts of its neighbours bear on (capacity_needs).
struct CutKey {
  int layer = 0, cut = 0;
  OperandBits needs;

  bool operator<(const CutKey& other) const {
    return std::tie(layer, cut, needs) < std::tie(other.layer, other.cut, other.needs);
  }
};

/// Costs of a cut, as far as they are known, of one core of each kind among the candidates.
struct CutPrice {
  /// Those of mappings that were found; empty when no core can run it.
  std::shared_ptr<const CoreCosts::OfLayer> costs;
  /// No cost is below these in the end. The same object as `costs` once the answers are known.
  std::shared_ptr<const CoreCosts::OfLayer> least;

  bool settled() const { return costs == least; }
};

/// The costs of cuts on each core, each asked once. Which of them are asked is up to the caller.
class CutPrices {
 public:
  /// With `first`, costs are of first answers until they are settled.
  CutPrices(std::shared_ptr<const MultiCoreAccelerator> accelerator, AnswerQuestions answer,
            FirstAnswers first = {});

  /// Null when it was not asked yet. Valid until ask() or settle(), and not to be called during these.
  /// [any]
  const CutPrice* find(const CutKey& cut) const;

  /// The shapes of the nodes of cuts, the largest first.
  using Pieces = std::vector<std::vector<std::shared_ptr<const Layer>>>;
  /// Finds the costs of cuts that are not known. Known ones are passed over. An exception of an answer ends
  /// it: none of these costs is known then, and nothing more may be asked.
  void ask(const std::vector<CutKey>& cuts, const Pieces& pieces) { find_out(cuts, pieces, false); }
  /// The same, with the answers themselves, also of cuts that are known by first answers.
  void settle(const std::vector<CutKey>& cuts, const Pieces& pieces) { find_out(cuts, pieces, true); }
  /// The cut, should it not be known, costs what another one does that was asked.
  void copy(const CutKey& cut, const CutKey& from);

  /// Questions about costs, and how many of them are answered.
  std::size_t asked() const { return plan_.questions().size(); }
  std::size_t answered() const { return answered_; }
  /// Why no core can run a layer that is cut so; empty when one can, or it was not asked.
  const std::string& reason(int layer, int cut) const;
  /// All that are known.
  const std::map<CutKey, CutPrice>& known() const { return known_; }
  const std::vector<int>& kinds() const { return kinds_; }  ///< core_kinds()
  /// Grows whenever a cost becomes known that is not the one of another price of the cut, or is settled.
  std::size_t changes() const { return changes_; }

 private:
  using Questions = std::vector<std::size_t>;  ///< of the plan
  using Prices = std::map<CutKey, CutPrice>;

  enum class Known : char { nothing, first, settled };

  void find_out(const std::vector<CutKey>& cuts, const Pieces& pieces, bool settled);
  void find_out_unknown(const std::vector<CutKey>& cuts, const Pieces& pieces, bool settled);
  bool share_rows(Prices::iterator price);
  void make_room();
  std::vector<CoreCostQuestion> next_of(const Questions& questions, std::size_t begin) const;
  void answer_first(const Questions& questions);
  void answer(const Questions& questions);
  std::shared_ptr<const CoreCost> cost_of(std::size_t question, const Evaluation& answer) const;
  CutPrice price(int number, const CutKey& cut, const std::vector<std::shared_ptr<const Layer>>& pieces,
                 const Questions& questions);

  std::vector<int> kinds_;
  CoreCostPlan plan_;
  AnswerQuestions answer_;
  FirstAnswers first_;
  // By the questions of the plan.
  std::vector<std::shared_ptr<const CoreCost>> answers_;
  std::vector<std::shared_ptr<const CoreCost>> least_;  ///< the answers themselves, where settled
  std::vector<std::string> reasons_;
  std::vector<Known> state_;

  std::size_t answered_ = 0, changes_ = 0;
  Prices known_;
  std::map<std::pair<int, int>, std::string> reason_of_cut_;
};

/// Finds what every cut costs, twice: with the least that its nodes can need in the memory of a core, and
/// with inputs that arrive as whole as they can. What neighbours are cut into decides between the two.
///
/// Throws NoResult, naming the layer and its smallest piece, when no core can run a layer however it is
/// cut.
void price_menus(PartitionGraphs& graphs, CutPrices& costs, const ParallelFor& parallel);

/// All costs that are known, as the bounds want them: CutPrice::least. Cuts that differ in their order only
/// are one. `first_cuts`: by layer, how many cuts at the beginning of its menu; empty: all.
PricedMenus priced_menus(PartitionGraphs& graphs, const CutPrices& costs,
                         const std::vector<int>& first_cuts = {});

}  // namespace zz::core
