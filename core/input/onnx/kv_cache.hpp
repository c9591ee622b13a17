#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// Keys and values that a decoder keeps from one step to the next.
struct KvCache {
  std::int64_t bytes_before = 0;            ///< read from earlier steps
  std::int64_t bytes_after = 0;             ///< kept for the next step
  std::int64_t bytes_written = 0;           ///< of this step's tokens
  std::vector<std::int64_t> before, after;  ///< indices into Network::tensors
};

/// The cache of the network, or nothing when it has none, or lengths of it are unknown. An input or output
/// of the network belongs to it when an attention operator takes or gives it as a cache, when an input is
/// concatenated with new elements to an output, or when its name has "past", "present" or "cache" in it.
std::optional<KvCache> kv_cache(const Network& network);

}  // namespace zz::core::onnx_import
