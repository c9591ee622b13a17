#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/schedule/core_costs.hpp"

namespace zz::core {

/// One question to the cost model of a single core: what does this layer cost on this accelerator? The
/// layer is a node; the accelerator is a core, perhaps with the off-chip memory above its own.
struct CoreCostQuestion {
  std::shared_ptr<const Layer> layer;  ///< its prescribed unrolling is the dataflow of the core
  std::shared_ptr<const Accelerator> accelerator;
  std::string where;  ///< for messages: "layer 'conv1' on core 2 ('tpu_like')"
};

/// The layer without its name and its position in the network. A cost depends on nothing but this and the
/// accelerator.
Layer without_identity(Layer layer);

/// Keeps the better of two answers to a question: the lower latency, then the lower energy, then `kept`,
/// which may be null.
void keep_better_cost(std::shared_ptr<const Evaluation>& kept, std::shared_ptr<const Evaluation> other);

/// The costs of a network's nodes on each candidate core as questions, each distinct one once: identical
/// layers and identical cores share theirs.
///
/// The answers may come in any order and from anywhere; const functions may be called concurrently.
class CoreCostPlan {
 public:
  /// Throws InputError with every layer that has no such core, or a core without units, among its
  /// candidates, that does not fit the memories of a candidate, that must stream although there is no
  /// off-chip core, or whose nodes exceed every memory.
  CoreCostPlan(std::shared_ptr<const MultiCoreAccelerator> accelerator,
               std::shared_ptr<const ComputationNodeGraph> graph, const Rules& rules);

  const std::vector<CoreCostQuestion>& questions() const { return questions_; }

  /// The table of costs. `answers` are those to the questions; null where there is no mapping: that core is
  /// then no candidate. Throws NoResult naming a layer that is left without a core, with what `reasons`, by
  /// question, say about the first.
  CoreCosts costs(const std::vector<std::shared_ptr<const Evaluation>>& answers,
                  const std::vector<std::string>& reasons = {}) const;

 private:
  struct Entry {
    int core = 0;
    std::vector<int> streamed;  ///< operands in equation order
    int question = 0;
  };
  class Builder;

  /// Operands (in equation order) whose accesses at the off-chip memory are asked of it.
  std::vector<int> moved_operands(const Entry& entry) const;
  CoreCost cost(const Entry& entry, const TiledLayer& layer,
                const std::shared_ptr<const Evaluation>& answer) const;

  std::shared_ptr<const MultiCoreAccelerator> accelerator_;
  std::shared_ptr<const ComputationNodeGraph> graph_;
  Rules rules_;
  std::vector<CoreCostQuestion> questions_;
  std::vector<std::vector<Entry>> entries_;  ///< [layer], in the order of the candidates
};

}  // namespace zz::core
