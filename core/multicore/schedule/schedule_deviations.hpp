#pragma once
#include <memory>
#include <vector>

#include "core/cost/deviation.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/multicore/schedule/scheduler.hpp"

namespace zz::core {

/// Changes by the default in a schedule against Stream 0.0.8. Its cores are scheduled once more by all of
/// Stream's rules on the same links, and once more as it is on free links of the simd core
/// (Rules::simd_transfers_free) and on free ports of the off-chip memory (Rules::offchip_ports_free);
/// nothing where that cannot be carried out. Loading of nodes that the schedule has (Rules::loading_on_top)
/// is costed again, layer by layer.
std::vector<std::shared_ptr<const LayerDeviations>> find_deviations(const ScheduleProblem& problem,
                                                                    const ScheduleChoice& choice,
                                                                    const Schedule& schedule);

}  // namespace zz::core
