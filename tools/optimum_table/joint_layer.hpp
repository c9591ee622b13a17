#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::tools {

/// One layer for one objective: optimal temporal mappings under some spatial mappings, and the optimum over
/// all pairs.
struct JointComparison {
  double prescribed = 0;  ///< the unrolling of the mapping file; infinite when nothing fits
  double three = 0;  ///< SpatialMappingGeneratorStage's candidates when nothing is prescribed; likewise
  double best = 0, bound = 0;
  std::uint64_t spatial_mappings = 0, searched = 0;
  double milliseconds = 0;  ///< processor time of the joint search
};

/// By objective: energy, latency, EDP. `seconds`: for the joint search; each other one gets a quarter of
/// it.
std::array<JointComparison, 3> compare_jointly(const core::Layer& layer,
                                               const std::shared_ptr<const core::Accelerator>& accelerator,
                                               double seconds, const core::Rules& rules);

/// The proof of the least latency over all pairs, several loops side by side included, and the least energy
/// close to it.
struct WithinComparison {
  double least = 0, bound = 0;             ///< latency
  double latency = 0, energy = 0;          ///< of the pair within
  double energy_alone = 0;                 ///< of the pair of least latency
  double energy_bound = 0;                 ///< of pairs within
  double seconds = 0, seconds_within = 0;  ///< processor time of the proof alone, of both
};

/// `gap`: at which either search stops; `seconds`: at most, for each of the two runs.
WithinComparison compare_within(const core::Layer& layer,
                                const std::shared_ptr<const core::Accelerator>& accelerator, double within,
                                double gap, double seconds, const core::Rules& rules);

}  // namespace zz::tools
