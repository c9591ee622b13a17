#include "core/multicore/bound/detail/best_multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

constexpr int multiplier_rounds = 300;

class MultiplierSearch {
 public:
  MultiplierSearch(const LayerNeeds& needs, const CommonSaving& saved, bool energy_counts,
                   double cycle_multiplier, const Confined& confined)
      : resources_(needs.resources),
        cycle_multiplier_(cycle_multiplier),
        saved_(saved),
        saved_energy_(energy_counts ? saved.energy : 0) {
    std::map<std::vector<int>, std::size_t> known;
    // One behind the other: every round reads all of them.
    for (std::size_t layer = 0; layer < needs.options.size(); ++layer) {
      if (!confined.layers.empty() && !confined.layers[layer]) continue;
      const std::vector<LayerOption>& options = needs.options[layer];
      for (std::size_t first = 0; first < options.size();) {
        const LayerOption& option = options[first];
        std::vector<int> cores;
        for (; first < options.size() && differ_in_core_alone(options[first], option); ++first)
          cores.push_back(options[first].core);
        const auto [entry, fresh] = known.try_emplace(std::move(cores), core_lists_.size());
        if (fresh) core_lists_.push_back(entry->first);
        options_.push_back({energy_counts ? option.energy : 0, option.cycles.front().second, entry->second,
                            links_.size(), option.cycles.size() - 1});
        links_.insert(links_.end(), option.cycles.begin() + 1, option.cycles.end());
      }
      layer_ends_.push_back(options_.size());
    }
  }

  /// By resource: whether some option needs it.
  std::vector<char> needed() const {
    std::vector<char> found(resources_, 0);
    for (const Option& option : options_)
      if (option.core_cycles > 0)
        for (const int core : core_lists_[option.cores]) found[core] = 1;
    for (const auto& [link, cycles] : links_)
      if (cycles > 0) found[link] = 1;
    return found;
  }

  /// Cost of the network at these shares; `used_` is what its cheapest options need.
  void relax(const std::vector<double>& shares) {
    used_.assign(resources_, 0);
    least_shares_.clear();
    for (const std::vector<int>& cores : core_lists_) {
      double& least = least_shares_.emplace_back(shares[cores.front()]);
      for (const int core : cores) least = std::min(least, shares[core]);
    }
    double total = 0;
    std::size_t next = 0;
    for (const std::size_t end : layer_ends_) {
      const Option* cheapest = nullptr;
      double least = 0;
      for (; next < end; ++next) {
        const Option& option = options_[next];
        const double of_option = cost(option, least_shares_[option.cores], shares);
        if (cheapest && of_option >= least) continue;
        cheapest = &option;
        least = of_option;
      }
      if (!cheapest) continue;
      total += least;
      // Shares that differ little may cost the same.
      const std::vector<int>& cores = core_lists_[cheapest->cores];
      const auto core = std::find_if(cores.begin(), cores.end(), [&](int one) {
        return cost(*cheapest, shares[one], shares) == least;
      });
      used_[*core] += cheapest->core_cycles;
      for (std::size_t i = cheapest->first; i < cheapest->first + cheapest->count; ++i)
        used_[links_[i].first] += links_[i].second;
    }
    total -= saved_energy_;
    for (const auto& [resource, cycles] : saved_.cycles) {
      total -= cycle_multiplier_ * shares[resource] * cycles;
      used_[resource] -= cycles;
    }
    if (!best_.multipliers.empty() && total <= best_.cost) return;
    best_.cost = total;
    best_.multipliers = shares;
    for (double& share : best_.multipliers) share *= cycle_multiplier_;
  }

  /// Raises the multipliers of what is used most, in smaller and smaller steps.
  void climb(std::vector<double> shares) {
    for (int round = 0; round < multiplier_rounds; ++round) {
      end_if_interrupted();
      relax(shares);
      const double most = *std::max_element(used_.begin(), used_.end());
      if (most <= 0) return;
      const double step = 1 / std::sqrt(1.0 + round);
      double sum = 0;
      for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0) sum += shares[i] *= std::exp(step * (used_[i] / most - 1));
      for (double& share : shares) share /= sum;
    }
  }

  const RelaxedNetwork& best() const { return best_; }

 private:
  /// An option on cores that are equal, which a chip may have dozens of.
  struct Option {
    double energy = 0, core_cycles = 0;
    std::size_t cores = 0;             ///< in `core_lists_`
    std::size_t first = 0, count = 0;  ///< in `links_`
  };

  static bool differ_in_core_alone(const LayerOption& a, const LayerOption& b) {
    return a.energy == b.energy && a.cycles.front().second == b.cycles.front().second &&
           std::equal(a.cycles.begin() + 1, a.cycles.end(), b.cycles.begin() + 1, b.cycles.end());
  }

  double cost(const Option& option, double share_of_core, const std::vector<double>& shares) const {
    double cost = option.energy;
    cost += cycle_multiplier_ * share_of_core * option.core_cycles;
    for (std::size_t i = option.first; i < option.first + option.count; ++i)
      cost += cycle_multiplier_ * shares[links_[i].first] * links_[i].second;
    return cost;
  }

  int resources_;
  double cycle_multiplier_;
  const CommonSaving& saved_;
  double saved_energy_;
  std::vector<Option> options_;                ///< by layer
  std::vector<std::size_t> layer_ends_;        ///< in `options_`
  std::vector<std::pair<int, double>> links_;  ///< cycles by resource, of all options
  std::vector<std::vector<int>> core_lists_;   ///< each once
  std::vector<double> used_, least_shares_;    ///< by resource; by list of cores
  RelaxedNetwork best_;
};

std::vector<double> scaled(std::vector<double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

RelaxedNetwork best_multipliers(const LayerNeeds& needs, const CommonSaving& saved, bool energy_counts,
                                double cycle_multiplier, const Confined& confined) {
  MultiplierSearch search(needs, saved, energy_counts, cycle_multiplier, confined);
  std::vector<double> shares(needs.resources, 0);
  std::vector<char> used = search.needed();
  for (std::size_t resource = 0; resource < confined.resources.size(); ++resource)
    used[resource] = used[resource] && confined.resources[resource];
  if (std::count(used.begin(), used.end(), 1) == 0) {
    search.relax(shares);
    return search.best();
  }
  for (int resource = 0; resource < needs.resources; ++resource) {
    if (!used[resource]) continue;
    shares.assign(needs.resources, 0);
    shares[resource] = 1;
    search.relax(shares);
  }
  shares.assign(used.begin(), used.end());
  search.climb(scaled(shares));
  // Once more from the cores alone: links often cost nothing at the optimum.
  std::fill(shares.begin() + needs.cores, shares.end(), 0);
  if (std::accumulate(shares.begin(), shares.end(), 0.0) > 0) search.climb(scaled(shares));
  return search.best();
}

}  // namespace zz::core
