#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

struct ScheduleOptions {
  std::vector<std::string> prefetch;  ///< layer operands whose constants are loaded before the first node
  /// (layer id, sub id), first one first; empty: descending, the deepest layer first.
  std::vector<std::pair<std::int64_t, int>> order;
  Rules rules;
};

/// Layer and group whose nodes may run on several cores: one decision of an allocation.
struct Gene {
  int layer = 0;  ///< index into ComputationNodeGraph::layers
  int group = 0;
  std::vector<int> cores;  ///< candidates with a cost, in the order of the mapping
};

/// Everything about scheduling a graph on an accelerator that no allocation changes, as arrays. Immutable;
/// shared by all threads.
class ScheduleProblem {
 public:
  /// Throws InputError when the accelerator lacks an off-chip memory or a route, when a layer has no core,
  /// or the order does not name each node once.
  ScheduleProblem(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                  std::shared_ptr<const ComputationNodeGraph> graph, std::shared_ptr<const CoreCosts> costs,
                  ScheduleOptions options);
  ~ScheduleProblem();

  const std::vector<Gene>& genes() const;  ///< by layer id, then group
  const std::shared_ptr<const MultiCoreAccelerator>& accelerator() const;
  const std::shared_ptr<const ComputationNodeGraph>& graph() const;
  const std::shared_ptr<const CoreCosts>& costs() const;
  const ScheduleOptions& options() const;

  struct Tables;  ///< schedule_tables.hpp
  const Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<const Tables> tables_;
};

}  // namespace zz::core
