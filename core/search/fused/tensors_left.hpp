#pragma once
#include <string>
#include <vector>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// A tensor between layers that goes off chip, and what would leave it there: with all loops as they are,
/// under all that its producer and its first reader share.
struct LeftTensor {
  int tensor = 0;        ///< of FusedNetwork
  std::string obstacle;  ///< why no room would do; "": some would
  double needed = 0;     ///< bits that the home would have to hold in the fullest phase
  int fullest = 0;       ///< the layer of that phase
  double saved = 0;      ///< pJ; negative: it would cost more
};

/// All tensors that the mapping does not exchange. Their home would be that of the mapping, else `home`, an
/// index into Accelerator::memories; negative: there is none.
std::vector<LeftTensor> tensors_left(const FusedNetwork& network, const FusedMapping& mapping, int home);

}  // namespace zz::core
