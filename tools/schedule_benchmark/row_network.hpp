#pragma once
#include <memory>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::tools {

/// A chain of 3x3 convolutions, cut into rows: each node reads three rows of the layer before it, and the
/// weights that all nodes of its layer share. On four cores in a square and an off-chip memory.
struct RowNetwork {
  int layers = 20;
  int rows = 50;                   ///< nodes of each layer
  std::int64_t core_memory = 0;    ///< bits of each core; 0: more than enough for everything
  bool every_layer_alike = false;  ///< else each layer has twice the weights of the one before it, up to 64
};

std::shared_ptr<const core::ScheduleProblem> make_problem(const RowNetwork& network, bool as_stream);

}  // namespace zz::tools
