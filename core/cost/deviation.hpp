#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/compat/rules.hpp"

namespace zz::core {

/// A row of docs/deviations.md that moved the figures of a mapping or schedule.
struct Deviation {
  bool Rules::*member;
  std::string_view rule;  ///< the name of the member
  std::string_view what;  ///< half a sentence: what zz counts, and what the original
  /// Change of the figures against those of the same mapping or schedule with the rule, as a share of
  /// these.
  double energy = 0, latency = 0;
};

/// Change of a figure, as a share of `before`; 0 where that is 0.
inline double change(double now, double before) { return before == 0 ? 0 : now / before - 1; }

/// The deviations of one evaluated layer, or of a schedule besides those of its layers. Sums and schedules
/// have those of their layers (Evaluation).
struct LayerDeviations {
  std::string layer;
  std::vector<Deviation> found;
  bool of_schedule = false;  ///< `layer` is the network then
};

}  // namespace zz::core
