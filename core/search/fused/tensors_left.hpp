#pragma once
#include <string>
#include <vector>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// A tensor between layers that goes off chip, and what would leave it there: with all loops as they are,
/// under all that its producer and its first reader share.
struct LeftTensor {
  int tensor = 0;            ///< of FusedNetwork
  std::string obstacle;      ///< why no room would do; "": some would
  int exchange_memory = -1;  ///< where it would lie, as index into Accelerator::memories of the array
  double needed = 0;         ///< bits that the exchange memory would have to hold in the fullest phase
  double missing = 0;        ///< so many of them are more than it holds
  int fullest = 0;           ///< the layer of that phase
  double saved = 0;          ///< pJ; negative: it would cost more
};

/// All tensors that the mapping does not exchange, each in its exchange memory. Where it has none, each
/// with the one of the `exchange_memories`, memories of the array, in which least room is missing; of
/// several, the one where most is saved.
std::vector<LeftTensor> tensors_left(const FusedNetwork& network, const FusedMapping& mapping,
                                     const std::vector<int>& exchange_memories);

}  // namespace zz::core
