#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// The limit of a machine for a layer, whichever of its best mappings is kept: for each cause the cycles
/// below which the latency does not get. Found without a search.
struct MachineLimit {
  struct Floor {
    /// A port ("hbm.rw_port_1"): what must pass, over its width. `units`: steps of the best unrolling.
    std::string limiter;
    double cycles = 0;
    /// More must pass under the unrolling of the mapping than of a tensor once: another unrolling may need
    /// less.
    bool of_unrolling = false;
  };
  std::vector<Floor> floors;  ///< most first
  double latency = 0;         ///< cycles of the mapping that it was asked of

  /// The use that the best unrolling makes of an array dimension.
  struct DimensionUse {
    std::string array_dimension, loops;  ///< "D1", "K 64"
    double units = 1;
    std::int64_t size = 1;
  };
  std::vector<DimensionUse> used;  ///< in the order of the array; none of sums
  std::string left_in_time;        ///< the longest loop that is not unrolled as a whole; "": there is none
  bool of_mapping = false;         ///< the mapping has that unrolling
  double units_used = 1;           ///< share of all units that the best unrolling keeps at work

  bool known() const { return !floors.empty(); }
  double share(std::size_t floor) const { return latency > 0 ? floors[floor].cycles / latency : 0; }
};

/// That of the evaluation of a single layer, or of the layer that is typical of a sum. None where no cost
/// model of zz made it, of fused layers, whose data stay where no floor counts them, and with
/// Rules::faster_than_ports, by which a latency may be shorter than what must pass.
MachineLimit machine_limit(const Evaluation& evaluation);

/// machine_limit() of one evaluation after the other: mappings of one layer under one unrolling have one
/// limit, which is found once while no more than a few others come between. Not for several threads at
/// once.
class MachineLimits {
 public:
  MachineLimit of(const Evaluation& evaluation);

 private:
  /// All that the limit follows from but the latency.
  struct Known {
    std::shared_ptr<const Accelerator> accelerator;
    std::shared_ptr<const Layer> layer;
    std::shared_ptr<const JointQuestion> question;
    CostModelOptions options;
    double times;
    MachineLimit limit;
  };
  std::deque<Known> known_;
};

/// That of layers one after the other: the floors of a cause are added up. None where one of them is not
/// known.
MachineLimit sum_of(std::span<const MachineLimit> layers);

/// "hbm rw_port_1 99 %", "units 97 %", "units 25 % used: C 64 of 128"; the two that come nearest where no
/// share is large, or the second is nearly as large: "units 61 %, hbm rw_port_1 58 %"; "several: ..." where
/// both are small. "not known".
std::string words_of(const MachineLimit& limit);

}  // namespace zz::core
