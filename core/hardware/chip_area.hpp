#pragma once
#include <string>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"

namespace zz::core {

/// The area of a chip, as far as its parts say theirs.
struct ChipArea {
  double mm2 = 0;                    ///< all instances of the parts that have one
  std::vector<std::string> without;  ///< parts on the chip that have none: "units", or names of memories

  bool is_known() const { return mm2 > 0 && without.empty(); }
};

/// Units and memories. A memory that no operand goes beyond may lie off the chip: it need not have an area.
/// Without memories that `beside` (null: nothing) has, too. Costs that are open (open_costs.hpp) are none.
/// In-memory arrays count by their memories alone: their array's is ImcFigures::imc_area().
ChipArea chip_area(const Accelerator& accelerator, const Accelerator* beside = nullptr);

/// All cores but the one off the chip; memories that cores share count once. Parts are named with the core:
/// "core_a: l1".
ChipArea chip_area(const MultiCoreAccelerator& accelerator);

}  // namespace zz::core
