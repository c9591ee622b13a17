#pragma once
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// The memories that a core and the vector unit beside it have in common: a memory of one of them names
/// that of the other with Memory::shared_with; both may do so. By index of the core's memory the index of
/// the unit's; -1: the unit lacks it.
///
/// A memory in common is there once on either side, has one size, and is off chip for both or for none.
/// Throws InputError for what is not so, for a name that the other side lacks, and where more than two
/// memories would be one.
std::vector<int> memories_in_common(const Accelerator& core, const Accelerator& unit);

}  // namespace zz::core
