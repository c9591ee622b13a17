#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/cost/cost_model.hpp"

namespace zz::core {

struct PortStall {
  std::string memory, port;
  std::int64_t cycles =
      0;  ///< for which it falls behind during the computation; negative: that it has left
};

/// Of all ports that serve something on the model's accelerator, memory by memory in file order. The units
/// wait for the one that falls behind most.
std::vector<PortStall> port_stalls(const CostModel& model, const Accelerator& accelerator,
                                   const CompactMapping& mapping);

}  // namespace zz::core
