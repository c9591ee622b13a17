#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/mapping/number_type.hpp"
#include "core/search/fused/fused_network.hpp"

/// Networks of products and of work on elements whose loops have one letter each, the same in all layers.
namespace zz::test {

/// The first input is read through a window: its letter `rows` stands for `data` rows, of which the einsum
/// makes fewer with a stride.
struct Window {
  char rows = 0, filter = 0;  ///< 0: none
  std::int64_t data = 0, stride = 1, padding = 0;
};

struct Einsum {
  std::string name;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< tensor and its letters; one or two
  std::pair<std::string, std::string> output;
  std::vector<std::string> added = {};  ///< tensors that an addition without a cost adds to the output
  Window window = {};
  std::map<char, std::int64_t> sizes = {};  ///< that differ from those of the network
};

struct EinsumNetwork {
  std::string kind;
  std::map<char, std::int64_t> sizes;
  std::vector<Einsum> einsums;
  std::int64_t bits = 8;
  std::int64_t sum_bits = 8;    ///< of a partial sum
  core::BlockScale block = {};  ///< of all tensors but partial sums, along block_letter()

  /// The last letter of a tensor along which no window slides.
  static char block_letter(const std::string& letters) { return letters[letters.find_last_not_of('r')]; }
  /// Bits of a part of a finished tensor, of which so many elements are along the letter of its blocks.
  double bits_of(double elements, double along) const {
    const double scales = block.any() ? std::ceil(along / static_cast<double>(block.every)) / along : 0;
    return elements * (static_cast<double>(bits) + scales * static_cast<double>(block.bits));
  }
  std::int64_t size(const Einsum& einsum, char letter) const {
    const auto own = einsum.sizes.find(letter);
    return own == einsum.sizes.end() ? sizes.at(letter) : own->second;
  }
};

/// The first input is I, the second one W. Tensors that another einsum writes are its data.
core::Workload workload(const EinsumNetwork& network);

/// One unit below a buffer for all operands, perhaps a second one (the "store") above it, and a memory of
/// unlimited size. Words are elements.
struct BufferedUnit {
  std::int64_t buffer_bits = 0, word = 8;
  double dram_read = 1, dram_write = 1, buffer_read = 0, buffer_write = 0;
  std::int64_t register_bits = 0;  ///< of a register for each operand below the buffer; 0: none
  /// A memory of sums moves finished results to the buffer, which then holds inputs only; 0: none.
  std::int64_t accumulator_bits = 0;
  std::int64_t store_bits = 0;  ///< 0: none
  double store_access = 0;
};
core::Accelerator accelerator(const BufferedUnit& sizes);

/// Each layer with its best mapping by itself, all in one set.
core::FusedNetwork fusable(const core::Workload& workload, const core::Accelerator& accelerator,
                           core::Objective objective = core::Objective::energy);

/// The same with layers that add nothing up on a vector unit, which has the buffer of `accelerator` as its
/// own one with the name "lanes".
core::FusedNetwork fusable_with_unit(const core::Workload& workload, const core::Accelerator& accelerator,
                                     const core::Accelerator& unit,
                                     core::Objective objective = core::Objective::energy);
/// Without registers, and with other costs than those of the array. It shares the store if there is one,
/// and then lacks the buffer.
core::Accelerator vector_unit(const BufferedUnit& sizes);

/// One of eight kinds (chains of two and three, attention, with softmax, with values of which the layer may
/// run before or behind the scores, gated feed-forward, residual, residual without a cost), with sizes of a
/// few elements and a buffer that holds little, some or all. Grouped queries half of the time.
struct RandomGroup {
  EinsumNetwork network;
  BufferedUnit unit;
};
RandomGroup random_group(std::uint64_t seed, bool registers);

/// The group with a store above its buffer. Some tensors fit into both, some into the store only.
RandomGroup with_store(RandomGroup group, std::uint64_t seed);

/// One of either kind with numbers in blocks of two to four elements.
RandomGroup random_blocks(std::uint64_t seed, bool registers);

/// Filters of one to three rows, also with a stride or with what they read added to their result, before,
/// behind or between products.
RandomGroup random_filters(std::uint64_t seed, bool registers);

}  // namespace zz::test
