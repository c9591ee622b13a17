#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace zz::core {

/// A computation node as Stream 0.0.8 hashes it.
struct NodeIdentity {
  std::int64_t layer_id = 0, sub_id = 0;
};

/// The order in which a CPython set of distinct (producer, consumer) pairs, inserted as listed, is walked:
/// indices into `pairs`. A fixed function of the identities (docs/deviations.md): tuples hash by xxHash,
/// and core/compat/set_walk.hpp does the rest.
std::vector<std::size_t> set_iteration_order(
    const std::vector<std::pair<NodeIdentity, NodeIdentity>>& pairs);

}  // namespace zz::core
