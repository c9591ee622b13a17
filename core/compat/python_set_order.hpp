#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// ZigZag and Stream walk Python sets in places where the order decides which of several equally good
/// candidates is kept. The order is a fixed function of the elements: this room computes it.
namespace zz::core {

/// The order in which a CPython set (3.8 or newer, 64 bits) of distinct elements is walked: indices into
/// `hashes`, which are those of the elements in the order in which they were added.
///
/// Open addressing in a power of two of slots, nine linear probes at a time, then a perturbed jump; the
/// table grows when three fifths are taken.
std::vector<std::size_t> python_set_order(std::span<const std::uint64_t> hashes);

/// The class of a name; names of different classes hash differently.
enum class NameClass { layer_dimension, array_dimension };

/// ZigZag's hash of the name of a dimension: (SHA-512 of the serialised name xor SHA-512 of the serialised
/// class) mod 2^61 - 1.
std::uint64_t identifier_hash(const std::string& name, NameClass name_class);

/// The names, added in the given order, as a set of them is walked; repeated ones count once.
std::vector<std::string> python_set_order(const std::vector<std::string>& names, NameClass name_class);

/// A computation node as Stream 0.0.8 hashes it.
struct NodeIdentity {
  std::int64_t layer_id = 0, sub_id = 0;
};

/// The order in which a set of distinct (producer, consumer) pairs, added as listed, is walked: indices
/// into `pairs`. Tuples hash by xxHash (docs/deviations.md).
std::vector<std::size_t> python_set_order(const std::vector<std::pair<NodeIdentity, NodeIdentity>>& pairs);

}  // namespace zz::core
