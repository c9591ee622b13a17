#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// Bits that a network needs in the outermost memory of some of its operands.
struct OutermostUse {
  std::string memory;
  double size = 0;              ///< of all its instances
  double weights = 0;           ///< of the whole network
  double cached = 0;            ///< keys and values of earlier tokens
  double inputs = 0;            ///< of the network, as far as its reader knows them
  double working = 0;           ///< inputs and results of the layer that has the most of them
  std::string largest;          ///< the name of that layer
  double of_layer = 0;          ///< all data of the layer that has the most of them
  double weights_of_layer = 0;  ///< of the layer that has the most of them

  /// Inputs lie there when the first layer runs, and may be gone when the largest does.
  double total() const { return weights + cached + (inputs > working ? inputs : working); }
};

/// The outermost memories of an accelerator, in its order, as a network fills them. Weights are those of
/// Workload::stored, in the bits that the constant inputs of `layers` have on average, else those of the
/// layers: each layer then counts its own. `layers` are those of the network, with the bits in which they
/// run; operands that no memory of the accelerator holds are passed over. [any thread]
std::vector<OutermostUse> outermost_uses(const Workload& workload,
                                         const std::vector<std::shared_ptr<const Layer>>& layers,
                                         const Accelerator& accelerator, const Rules& rules);

/// "16.1 GB of weights and 0.3 GB of keys and values on 8.6 GB of 'hbm'", with as many digits as tell the
/// need from the size.
std::string use_text(const OutermostUse& use);

/// Why a network does not fit: use_text() of each memory that is too small. Empty: it fits, or only one
/// layer does not by itself, which its mapper says better.
std::string why_network_does_not_fit(const std::vector<OutermostUse>& uses);

/// The accelerator with outermost memories that hold each layer by itself: the same one where they do.
/// `warnings` says which size has become which.
std::shared_ptr<const Accelerator> with_room_for_layers(
    const std::shared_ptr<const Accelerator>& accelerator, const std::vector<OutermostUse>& uses,
    std::vector<std::string>& warnings);

}  // namespace zz::core
