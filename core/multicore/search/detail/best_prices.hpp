#pragma once
#include <vector>

#include "core/multicore/search/detail/layer_needs.hpp"

namespace zz::core {

/// Prices of resources that add up to what a cycle of latency costs, and what all layers pay at least.
struct PricedNetwork {
  double cost = 0;             ///< sum over layers of their cheapest option
  std::vector<double> prices;  ///< by resource
};

/// Searches for the prices at which the network costs most: in units of energy with `energy_counts`, where
/// a cycle costs `cycle_price`, else in cycles at the price of 1. All prices give a valid bound, so the
/// search (multiplicative weights; S. Arora et al.: The Multiplicative Weights Update Method, 2012) may
/// stop anywhere. Only resources in `allowed` are priced, when it is not empty.
PricedNetwork best_prices(const LayerNeeds& needs, bool energy_counts, double cycle_price,
                          const std::vector<char>& allowed = {});

}  // namespace zz::core
