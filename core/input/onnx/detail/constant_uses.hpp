#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/input/onnx/network.hpp"

namespace zz::core::onnx_import {

/// The use of a constant's elements by nodes that run; the last of several uses here counts.
enum class ConstantUse {
  unread,    ///< no node that runs reads it
  absorbed,  ///< it changes weights before the run, as a scale does, or makes a scale
  elements,  ///< an operator computes with it
  steers,    ///< lengths and factors of an enlargement; scales and zero points of quantisation
  scales,    ///< the same of blocks (`block_size`), which lie beside the elements
  weights,   ///< a product multiplies it, also after it was moved or computed with, or sums of integers get
             ///< it
};

/// Count of the elements of a tensor that packs several into a byte.
struct PackedElements {
  std::int64_t all = 0;     ///< of the whole tensor, or 0
  std::int64_t in_one = 1;  ///< elements in each byte of the file
};

struct ConstantReading {
  ConstantUse use = ConstantUse::unread;
  PackedElements packed;

  void add(const ConstantReading& other);
};

struct ConstantReadings {
  std::vector<ConstantReading> of_tensors;  ///< by index in Network::tensors
  /// Weights that the file alone determines, computed from tensors none of which has as many elements
  /// (`A @ B`): they stand for those.
  std::vector<std::int64_t> computed;
};

/// The use of what is computed from the file alone is that of the input with as many elements: in `W *
/// scale`, `Cast(W)` and `W + A @ B` that is W.
ConstantReadings constant_readings(const Network& network);

/// The same for one input of a node that does not run, without what follows from its result: no weights.
ConstantReading reading_by_name(const onnx::NodeProto& node, std::size_t input);

}  // namespace zz::core::onnx_import
