#pragma once
#include <cstdint>

#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::test {

/// Small problems of many kinds: sizes, shared ports, costs, unrollings that divide and that do not. The
/// same for the same seed.
core::MappingProblem random_problem(std::uint32_t seed);

/// Which of the keys that add cycles to those of the operations an array gets.
enum class ArrayKeys { fold, instruction, both };
core::Accelerator with_array_keys(core::Accelerator accelerator, ArrayKeys keys, std::uint32_t seed);
/// The same problem on such an array.
core::MappingProblem with_array_keys(const core::MappingProblem& problem, ArrayKeys keys,
                                     std::uint32_t seed);

/// One port for all transfers of the memory.
void share_port(core::Memory& memory);

/// Only sums have a register. Inputs have one memory, the one that all operands share.
core::MappingProblem without_memories_of_inputs(std::uint32_t seed);

/// Arrays of cells that hold one weight or more, analog or digital.
core::MappingProblem in_memory_problem(std::uint32_t seed);

/// Larger loops, and ports that are narrow in one memory and wide in another. There are too many mappings
/// to look at all. `one_narrow`: in one memory only, so that nothing else keeps the units waiting.
core::MappingProblem problem_with_uneven_ports(std::uint32_t seed, bool one_narrow = false);

/// Inputs and sums in one small memory with two ports. One port mostly takes data from above and the sums
/// that return to the units. Where no sums return, only transfers between memories share it.
core::MappingProblem problem_with_dealt_ports(std::uint32_t seed);

/// Unrollings that mostly do not divide their loops, sums that are wider than results and small memories in
/// which they are added up, some of them by adders above a register.
core::MappingProblem problem_with_uneven_rounds(std::uint32_t seed);

/// The keys of memories and ports that ZigZag does not have.
struct MemoryKeys {
  bool overlap = false, tile_interval = false, line = false, shared_tiles = false, request = false;
  bool efficiency = false;  ///< of ports, and of the array
  bool zeros = false;       ///< skipped or gated, of layers that have some
  bool formats = false;     ///< of these in memories
};

/// Gives memories and ports some of these keys. With `shared_tiles` the buffer of small_accelerator() holds
/// both inputs.
void add_keys(core::Accelerator& accelerator, const MemoryKeys& keys, std::uint32_t seed);

/// The layer with a layout for each operand, which ports with requests ask for.
core::Layer with_layouts(core::Layer layer, std::uint32_t seed);

/// The layer with numbers in blocks: some of its operands, and mostly its weights, along some loop or their
/// own axis.
core::Layer with_blocks(core::Layer layer, std::uint32_t seed);

/// random_problem() of such a layer, by zz's own rules, where units do not divide their loop with `uneven`.
core::MappingProblem problem_with_blocks(std::uint32_t seed, bool uneven = false);
/// The layer with zeros of W and I, by density or in a pattern.
core::Layer with_zeros(core::Layer layer, std::uint32_t seed);

/// random_problem() with these keys.
core::MappingProblem problem_with_keys(std::uint32_t seed, const MemoryKeys& keys);

}  // namespace zz::test
