#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

// The numbers that a layer has on the units which compute it, where files leave that open. Commands for one
// core ask adopt_numbers(), so that a layer has one cost; several cores leave out scales alone.

/// Leaves out the scales that only the network's file says (Layer::assumed_scales) where the array neither
/// takes nor converts them, and returns why; "": none is left out. `no_scales`: why none of them counts
/// whatever the array takes, as "ZigZag knows none"; "": it depends on the array.
std::string leave_out_scales_on(Layer& layer, const OperationalArray& array, const std::string& no_scales);

struct NumbersOfUnits {
  bool adopted = false;            ///< weights, inputs or results have other bits than the network says
  std::string why_without_scales;  ///< as of leave_out_scales_on()
};

/// Gives a layer the zeros of the accelerator's file and the bits of its units where nobody says others,
/// and leaves out scales. `units`: those that compute it, of the same accelerator or of the vector unit
/// beside it.
NumbersOfUnits adopt_numbers(Layer& layer, const Accelerator& accelerator, const OperationalArray& units,
                             const std::string& no_scales);

/// Scales that do not count: the layers of which they are left out, each with its reason.
class IgnoredScales {
 public:
  /// Does nothing with the reason "". A layer that comes again counts once.
  void add(const std::string& layer, const std::string& why);
  /// A warning for each reason.
  std::vector<std::string> sentences() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> layers_of_;  ///< by reason, as they came
};

}  // namespace zz::core
