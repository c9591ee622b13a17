#pragma once
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// The memory from which finished outputs are moved into the exchange memory (Memory::moves_to); nullptr:
/// it holds outputs itself, or none come there.
const Memory* moves_into(const Accelerator& accelerator, int exchange_memory);

/// A layer may leave this memory operand in the exchange memory, or find it there.
bool may_be_exchanged(const Accelerator& accelerator, int exchange_memory, const std::string& operand);

/// The accelerator with the exchange memory, an index of its own memories, as the topmost one of some
/// memory operands. Where outputs are moved into it, it holds them, too, and takes them by the port that
/// writes its inputs; sums that are not finished do not return. What a memory is shared with, or moves to,
/// says nothing of one layer, and is left out.
Accelerator ending_at_exchange_memory(const Accelerator& accelerator, int exchange_memory,
                                      const std::vector<std::string>& operands);
/// The accelerator as a layer sees it that exchanges these memory operands: ending_at_exchange_memory(),
/// and above that one memory of unlimited size that costs nothing.
Accelerator exchanging(const Accelerator& accelerator, int exchange_memory,
                       const std::vector<std::string>& operands);

/// Names of the memories in which tensors can be exchanged: below the topmost memory, there once for the
/// whole array, and holding the outputs and an input.
std::vector<std::string> exchange_memories(const Accelerator& accelerator);
/// The indices of those that are wanted, by name; of all where `wanted` is empty. Throws InputError for a
/// name that none of them has.
std::vector<int> exchange_memories(const Accelerator& accelerator, const std::vector<std::string>& wanted);

}  // namespace zz::core
