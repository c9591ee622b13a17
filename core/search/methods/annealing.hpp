#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace zz::core {

/// Simulated annealing, without its domain (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi: Optimization by
/// Simulated Annealing, Science 220, 1983).
///
/// Problem: find a state with a small value, knowing only how to make a neighbour of a state and how to
/// value it.
/// Method: a walk takes each neighbour that is not worse. It takes a worse one with a probability that
/// falls with the rise, a share of the value, and with the temperature, which cools geometrically. Of
/// several walks the worst now and then goes on from the state of the best.
/// Complexity: a neighbour and a value for each step of each walk; a state for each walk.
///
/// States, values and random numbers are the caller's, and so is the end: equal random numbers make equal
/// walks, on any number of threads.

/// Temperatures that fall by one factor in each unit of progress. At a temperature of 0.01 a state that is
/// 1 % worse is taken with a probability of 1 / e.
struct Cooling {
  double hot = 0;     ///< where progress is 0
  double factor = 1;  ///< above 0; below 1 it cools

  double at(double progress) const { return hot * std::pow(factor, progress); }
};

/// True if a state that is worse by the share `rise` is taken (N. Metropolis et al., 1953). `random` is
/// uniform in [0, 1).
inline bool takes_rise(double rise, double temperature, double random) {
  return random < std::exp(-rise / temperature);
}

/// The same rule before the neighbour is valued: the largest rise that is taken. A bound above it saves the
/// value.
inline double largest_rise(double temperature, double random) {
  return -temperature * std::log(1 - random);
}

/// Calls step(progress, temperature), which moves all walks, until `next_progress` returns nothing.
template <class NextProgress, class Step>
void anneal(const Cooling& cooling, NextProgress next_progress, Step step) {
  while (const std::optional<double> progress = next_progress()) step(*progress, cooling.at(*progress));
}

/// Lets the worst walk follow the best one, so many times while progress goes from 0 to 1.
class Exchanges {
 public:
  explicit Exchanges(int count) : period_(1.0 / count), next_(period_) {}

  /// To be called after each step. `better(a, b)` compares walks; `follow(worst, best)` gives the first one
  /// the state of the second.
  template <class Walk, class Better, class Follow>
  void after_step(double progress, std::vector<Walk>& walks, Better better, Follow follow) {
    if (progress < next_) return;
    next_ += period_;
    const auto [best, worst] = std::minmax_element(walks.begin(), walks.end(), better);
    if (best != worst) follow(*worst, *best);
  }

 private:
  double period_, next_;
};

}  // namespace zz::core
