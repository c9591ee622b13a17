#include "core/multicore/search/detail/best_prices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

constexpr int rounds = 300;

class PriceSearch {
 public:
  PriceSearch(const LayerNeeds& needs, bool energy_counts, double cycle_price)
      : needs_(needs), energy_counts_(energy_counts), cycle_price_(cycle_price) {}

  /// What the network costs at these shares; `used_` is what its cheapest options need.
  void price(const std::vector<double>& shares) {
    used_.assign(needs_.resources, 0);
    double total = 0;
    for (const std::vector<LayerOption>& options : needs_.options) {
      const LayerOption* cheapest = nullptr;
      double least = 0;
      for (const LayerOption& option : options) {
        double cost = energy_counts_ ? option.energy : 0;
        for (const auto& [resource, cycles] : option.cycles)
          cost += cycle_price_ * shares[resource] * cycles;
        if (cheapest && cost >= least) continue;
        cheapest = &option;
        least = cost;
      }
      if (!cheapest) continue;
      total += least;
      for (const auto& [resource, cycles] : cheapest->cycles) used_[resource] += cycles;
    }
    if (!best_.prices.empty() && total <= best_.cost) return;
    best_.cost = total;
    best_.prices = shares;
    for (double& share : best_.prices) share *= cycle_price_;
  }

  /// Raises the prices of what is used most, in smaller and smaller steps.
  void climb(std::vector<double> shares) {
    for (int round = 0; round < rounds; ++round) {
      end_if_interrupted();
      price(shares);
      const double most = *std::max_element(used_.begin(), used_.end());
      if (most <= 0) return;
      const double step = 1 / std::sqrt(1.0 + round);
      double sum = 0;
      for (std::size_t i = 0; i < shares.size(); ++i)
        sum += shares[i] *= std::exp(step * (used_[i] / most - 1));
      for (double& share : shares) share /= sum;
    }
  }

  const PricedNetwork& best() const { return best_; }

 private:
  const LayerNeeds& needs_;
  bool energy_counts_;
  double cycle_price_;
  std::vector<double> used_;
  PricedNetwork best_;
};

std::vector<double> scaled(std::vector<double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

PricedNetwork best_prices(const LayerNeeds& needs, bool energy_counts, double cycle_price,
                          const std::vector<char>& allowed) {
  PriceSearch search(needs, energy_counts, cycle_price);
  std::vector<double> shares(needs.resources, 0);
  std::vector<char> used(needs.resources, 0);
  for (const std::vector<LayerOption>& options : needs.options)
    for (const LayerOption& option : options)
      for (const auto& [resource, cycles] : option.cycles)
        if (cycles > 0 && (allowed.empty() || allowed[resource])) used[resource] = 1;
  if (std::count(used.begin(), used.end(), 1) == 0) {
    search.price(shares);
    return search.best();
  }
  for (int resource = 0; resource < needs.resources; ++resource) {
    if (!used[resource]) continue;
    shares.assign(needs.resources, 0);
    shares[resource] = 1;
    search.price(shares);
  }
  shares.assign(used.begin(), used.end());
  search.climb(scaled(shares));
  // Once more from the cores alone: links often cost nothing at the optimum.
  std::fill(shares.begin() + needs.cores, shares.end(), 0);
  if (std::accumulate(shares.begin(), shares.end(), 0.0) > 0) search.climb(scaled(shares));
  return search.best();
}

}  // namespace zz::core
