#pragma once
#include "core/cost/score.hpp"

namespace zz::core {

/// What loop orders are compared by; smaller is better.
enum class OrderMetric { energy_total, latency_total2, edp };

inline double figure_of(const Score& score, OrderMetric metric) {
  switch (metric) {
    case OrderMetric::energy_total:
      return score.energy_total;
    case OrderMetric::latency_total2:
      return score.latency_total2;
    case OrderMetric::edp:
      return score.latency_total2 * score.energy_total;
  }
  return 0;
}

}  // namespace zz::core
