#pragma once

namespace zz::core {

/// The figure that a search makes small: energy (pJ), latency (cycles), or their product (EDP).
enum class Objective { energy, latency, edp };

inline double value_of(Objective objective, double energy, double latency) {
  switch (objective) {
    case Objective::energy:
      return energy;
    case Objective::latency:
      return latency;
    case Objective::edp:
      return energy * latency;
  }
  return 0;
}

}  // namespace zz::core
