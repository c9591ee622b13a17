#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/mapping/temporal_mapping.hpp"

namespace zz::core {

/// Where an operand of a fused layer is between the iterations of its shared loops.
struct FusedData {
  std::string operand;
  std::string place;       ///< "exchanged", "kept" or "brought" (docs/glossary.md)
  std::int64_t depth = 0;  ///< of what is exchanged or kept: so many shared loops are above its tile
  std::string home;        ///< of what is exchanged or kept: name of the memory

  bool operator==(const FusedData&) const = default;
};

/// The place of a layer in its group, which one core runs. The shared loops are the outermost ones of its
/// temporal mapping.
struct FusedPlace {
  std::int64_t group = 1;            ///< of the network, in the order in which they run; from 1
  std::string home;                  ///< names of the memories where the group exchanges or keeps data
  std::vector<TemporalLoop> shared;  ///< outermost first
  std::int64_t with_next = 0;        ///< so many of them are shared with the next layer
  std::vector<FusedData> operands;   ///< in equation order

  bool operator==(const FusedPlace&) const = default;
};

}  // namespace zz::core
