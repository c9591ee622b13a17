#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// The memory from which finished outputs are moved into the home (Memory::moves_to); nullptr: the home
/// holds outputs itself, or none come there.
const Memory* moves_into(const Accelerator& accelerator, int home);

/// A layer may leave this memory operand in the home, or find it there.
bool may_be_exchanged(const Accelerator& accelerator, int home, const std::string& operand);

/// The accelerator with the home, an index of its own memories, as the topmost memory of some memory
/// operands. Where outputs are moved into the home, it holds them, too, and takes them by the port that
/// writes its inputs; sums that are not finished do not return. What a memory is shared with, or moves to,
/// says nothing of one layer, and is left out.
Accelerator ending_at_home(const Accelerator& accelerator, int home,
                           const std::vector<std::string>& operands);
/// The accelerator as a layer sees it that exchanges these memory operands: ending_at_home(), and above the
/// home one memory of unlimited size that costs nothing.
Accelerator exchanging(const Accelerator& accelerator, int home, const std::vector<std::string>& operands);

/// Names of the memories that can be the home of exchanged tensors: below the topmost memory, there once
/// for the whole array, and holding the outputs and an input.
std::vector<std::string> possible_homes(const Accelerator& accelerator);
/// The indices of those that are wanted, by name; of all where `wanted` is empty. Throws InputError for a
/// name that none of them has.
std::vector<int> possible_homes(const Accelerator& accelerator, const std::vector<std::string>& wanted);

}  // namespace zz::core
