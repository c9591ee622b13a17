#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zz::core {

/// The order in which a CPython set (3.8 or newer, 64 bits) of distinct elements is walked: indices into
/// `hashes`, which are those of the elements in the order in which they were added. ZigZag and Stream walk
/// sets in places where the order decides between equally good candidates.
///
/// Open addressing in a power of two of slots, nine linear probes at a time, then a perturbed jump; grown
/// when three fifths are taken.
std::vector<std::size_t> set_walk(std::span<const std::uint64_t> hashes);

}  // namespace zz::core
