#pragma once
#include <limits>

#include "core/cost/score.hpp"

namespace zz::core {

/// Above which figures the score of an order need not be known: somebody keeps the best orders, and has
/// enough that are better.
struct ScoreLimit {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double energy = none;   ///< pJ
  double latency = none;  ///< cycles
  double product = none;  ///< of the two

  /// `energy` and `latency` are no larger than the figures.
  bool is_exceeded(double least_energy, double least_latency) const {
    return least_energy > energy || least_latency > latency || least_latency * least_energy > product;
  }

  /// Given in place of such a score.
  static constexpr Score worse{none, none, none};
};

}  // namespace zz::core
