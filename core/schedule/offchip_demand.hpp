#pragma once
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// What one run of a node asks of the off-chip memory.
struct OffchipDemand {
  /// Elements per cycle at their most frequent, whole ones, summed over the operands. (ZigZag 3.6.1's
  /// "instantaneous bandwidth", which Stream 0.0.8 compares with bits per cycle.)
  double read_elements = 0, write_elements = 0;
  double read_bits = 0, write_bits = 0;  ///< that move in all
};

/// The demand of the given operands (indices into Layer::operands) at their topmost memories. Of an
/// evaluation that does not tell its mapping or its accesses, that of each operand moved once.
OffchipDemand offchip_demand(const Evaluation& evaluation, const Layer& tile,
                             const Accelerator& accelerator, const std::vector<int>& operands);

}  // namespace zz::core
