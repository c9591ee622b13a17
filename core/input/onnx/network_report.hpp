#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/workload/layer.hpp"

namespace zz::core::onnx_import {

/// One node in an estimate.
struct NodeCost {
  std::optional<std::int64_t> macs = 0;  ///< multiply-accumulates of all its products; none: unknown
  /// A layer for each product with work, without id, sources and mapping.
  std::vector<Layer> layers;
  /// Bits per element of each input as the products read it; 0 for inputs that are left out.
  std::vector<std::int64_t> input_bits;
  /// Why it has no cost although it multiplies, or may multiply; empty when it has one, or needs none.
  std::string problem;
};

/// The costs of all nodes, by NetworkNode::id. Unknown operators and nodes whose layers cannot be made have
/// a problem; nothing is thrown for them.
std::vector<NodeCost> node_costs(const Network& network);

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

/// The parameters that the file holds, and inputs that are weights: elements of real numbers and of
/// integers of 8 bits and fewer, and of all integers that products multiply or that are added to sums of
/// integers. What the file alone determines counts by what it is made of: `W * scale` and `W + A @ B` as W.
/// Scales and zero points of quantisation do not count (their bytes do in parameter_bytes(), where they are
/// those of blocks), and weights that share a byte count each. A tensor in the body of a loop counts once.
std::int64_t parameter_count(const Network& network);

/// Bytes of the parameters as the network keeps them: in the types of the file, or in fewer bits where all
/// that reads a parameter rounds it to them. With the scales and zero points of blocks.
std::int64_t parameter_bytes(const Network& network);

/// Bytes of the inputs, and of the results of all operators that compute with them, as they are written to
/// memory. What only moves elements does not count again; neither do tensors of unknown shapes.
std::int64_t activation_bytes(const Network& network);

}  // namespace zz::core::onnx_import
