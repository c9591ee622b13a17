#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

/// The machine of a schedule with one change, and the network as it is seen there. Each function throws
/// InputError where the changed machine makes no sense, and NoResult where a cost cannot be told.
namespace zz::core {

struct ChangedMachine {
  std::shared_ptr<const MultiCoreAccelerator> accelerator;
  std::shared_ptr<const ComputationNodeGraph> graph;
  std::shared_ptr<const CoreCosts> costs;
};

/// The link begins or ends at the off-chip core.
bool touches_offchip(const MultiCoreAccelerator& accelerator, int link);
/// It does, and is as wide as the ports of its memory: it stands for them.
bool is_offchip_port(const MultiCoreAccelerator& accelerator, int link);

ChangedMachine with_wider_links(const Schedule& schedule, const std::vector<int>& links,
                                std::int64_t factor);

/// The topmost memory of that name in every core of that name, and in those that share it with one.
ChangedMachine with_larger_memory(const Schedule& schedule, const std::string& core,
                                  const std::string& memory, std::int64_t factor);

/// Layers that may run on the core `like` may run on `others`, which are equal to it, too.
ChangedMachine with_candidates(const Schedule& schedule, int like, const std::vector<int>& others);

/// With a copy of a core behind the others: the same costs, the same links to others and one to the core
/// itself, and a part in all memories that the core shares.
ChangedMachine with_one_core_more(const Schedule& schedule, int core);

}  // namespace zz::core
