#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::tools {

/// One layer for one objective: the best of ZigZag's default search and the optimum, both over the same
/// spatial mappings.
struct Comparison {
  double limited = 0;  ///< at most six loop factors, all their orders
  double best = 0, bound = 0;
  std::uint64_t states = 0;
  double milliseconds = 0;  ///< processor time of the longest search over the spatial mappings
};

struct ComparedLayer {
  int loops = 0;                           ///< prime factors that remain in time, at most
  std::size_t multisets = 0;               ///< of them, at most
  std::array<Comparison, 3> by_objective;  ///< energy, latency, EDP
};

ComparedLayer compare(const core::Layer& layer, const std::shared_ptr<const core::Accelerator>& accelerator,
                      double seconds, const core::Rules& rules);

/// The layers differ in nothing that a search sees.
bool same_search(const core::Layer& a, const core::Layer& b);

}  // namespace zz::tools
