#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/search/fused/fused_network.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A match between loops of two layers.
struct LoopMatch {
  int tensor, use;
  int from_layer, from, to_layer, to;  ///< layers, and their loops
  std::int64_t from_inside, to_inside, size;
};

/// Rows that one layer writes and a window of another one slides along.
struct WindowMatch {
  int tensor, use;
  int from_layer, from, to_layer, to;  ///< layers, and the loops over the rows that they make
  SlidingWindow window;                ///< without axis
};

/// Tensors that layers exchange, and loops of them that walk the same data.
struct TensorMatches {
  Numbered<NetworkTensor> tensors;     ///< uses are without axes and windows
  std::vector<std::array<int, 3>> at;  ///< by layer and operand: index of the tensor; -1: none
  std::vector<LoopMatch> loops;
  std::vector<WindowMatch> windows;
};

/// The matches of these layers of the workload, which stand in an order that respects its edges.
TensorMatches match_tensors(const Workload& workload, const Numbered<NetworkLayer>& layers);

}  // namespace zz::core
