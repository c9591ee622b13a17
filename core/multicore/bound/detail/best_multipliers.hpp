#pragma once
#include <vector>

#include "core/multicore/bound/detail/layer_needs.hpp"

namespace zz::core {

/// Multipliers of resources that add up to that of a cycle of latency, and what all layers cost by them at
/// least.
struct RelaxedNetwork {
  double cost = 0;                  ///< sum over layers of their cheapest option, less what is saved
  std::vector<double> multipliers;  ///< by resource
};

/// The layers that a set of cores alone can run. Empty: all layers, on all resources.
struct Confined {
  std::vector<char> layers, resources;
};

/// Searches for the multipliers by which the network costs most: in units of energy with `energy_counts`,
/// where a cycle costs `cycle_multiplier`, else in cycles, each of 1. All give a valid bound, so the
/// search (multiplicative weights; S. Arora et al.: The Multiplicative Weights Update Method, 2012) may
/// stop anywhere.
RelaxedNetwork best_multipliers(const LayerNeeds& needs, const CommonSaving& saved, bool energy_counts,
                                double cycle_multiplier, const Confined& confined = {});

}  // namespace zz::core
