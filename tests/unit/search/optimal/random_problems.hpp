#pragma once
#include <cstdint>

#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::test {

/// Small problems of many kinds: sizes, shared ports, costs, unrollings that divide and that do not. The
/// same for the same seed.
core::MappingProblem random_problem(std::uint32_t seed);

/// One port for all transfers of the memory.
void share_port(core::Memory& memory);

/// Only sums have a register; inputs have one memory, that of all.
core::MappingProblem without_memories_of_inputs(std::uint32_t seed);

/// Arrays of cells that hold one weight or more, analog or digital.
core::MappingProblem in_memory_problem(std::uint32_t seed);

/// Larger loops, and ports that are narrow in one memory and wide in another: too many mappings to look at
/// all.
/// `one_narrow`: in one memory only, so that nothing else keeps the units waiting.
core::MappingProblem problem_with_uneven_ports(std::uint32_t seed, bool one_narrow = false);

/// Inputs and sums in one small memory with two ports, of which one mostly takes what comes from above and
/// the sums that return to the units, if there are any: then only transfers between memories share it.
core::MappingProblem problem_with_dealt_ports(std::uint32_t seed);

}  // namespace zz::test
