#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/schedule/core_costs.hpp"

namespace zz::core {

/// Answers questions, by their numbers; null where there is no mapping.
using AnswerQuestions = std::function<std::vector<std::shared_ptr<const Evaluation>>(
    const std::vector<CoreCostQuestion>& questions, std::vector<std::string>& reasons)>;

/// What a node of a layer costs when it is cut in one way: a layer, a cut of it, and what a node of it
/// needs in the memory of a core, which the cuts of its neighbours bear on (capacity_needs).
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
  /// Known ones are passed over.
  void ask(const std::vector<CutKey>& cuts,
           const std::vector<std::vector<std::shared_ptr<const Layer>>>& pieces);

  /// Why no core can run a layer that is cut so; empty when one can, or it was not asked.
  const std::string& reason(int layer, int cut) const;
  /// All that are known.
  const std::map<CutKey, std::shared_ptr<const CoreCosts::OfLayer>>& known() const { return known_; }

 private:
  CoreCostPlan plan_;
  AnswerQuestions answer_;
  std::vector<std::shared_ptr<const Evaluation>> answers_;  // by the questions of the plan
  std::vector<std::string> reasons_;
  std::map<CutKey, std::shared_ptr<const CoreCosts::OfLayer>> known_;
  std::map<std::pair<int, int>, std::string> reason_of_cut_;
};

}  // namespace zz::core
