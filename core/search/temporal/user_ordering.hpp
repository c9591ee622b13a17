#pragma once
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/mapping/temporal_mapping.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The temporal ordering of a layer's mapping entry, applied to the loops that remain in time.
struct UserOrdering {
  /// The ordering names every loop: nothing is searched. An empty one is complete when nothing remains.
  bool complete = false;
  std::vector<RemainingLoop> loops;  ///< innermost first, without loops of one iteration; if complete
  std::vector<OrderConstraint> constraints;  ///< if not complete
  bool ragged = false;                       ///< some tile does not divide its loop; only of a complete one
  /// Where the mapping entry cuts `loops`, counted in these; empty: it does not say, or is not complete.
  std::vector<OperandCuts> cuts;
};

enum class OrderingUse {
  search,    ///< loops that the ordering leaves open are searched
  prescribe  ///< the ordering must give every loop; "*" as a size means "all"
};

/// Reads layer.mapping.temporal_ordering. Entries count from the innermost loop, those behind ["*", "*"]
/// (any loops) from the outermost. Entries of size 1 are no loops and count for nothing.
///
/// Loops of one dimension multiply. Those of a complete ordering may be a chain of tiles that does not
/// divide the loop (TilesBelow): of 197 iterations [D, 50] and, as the outermost loop of D, [D, 4], or
/// "all". Where rules ask for figures of ZigZag or Stream, which have none of these, such a chain does not
/// fit.
///
/// Cuts of the entry (cut_as_prescribed) need an ordering that is complete: with another one they are an
/// error, or do not fit where that depends on the unrolling.
///
/// Throws InputError when the ordering fits the layer under no unrolling: unknown loops, more iterations
/// than the loop has, a second "*"; and NoResult when it does not fit what remains in time: a loop that is
/// not iterated in time, sizes that are no chain of tiles, more loops than it has prime factors, or, where
/// every remaining loop is named with its size and no "*" leaves any open, fewer iterations than remain.
///
/// Rules::orderings_unchecked leaves out these checks: what cannot be satisfied is then found by the
/// search.
UserOrdering user_ordering(const Layer& layer, const std::vector<RemainingLoop>& remaining, OrderingUse use,
                           const Rules& rules);

/// Holds the loops of a temporal mapping to the rules of a prescribed ordering: exactly what remains in
/// time, no more and no less. Throws as user_ordering(), with `where` in front.
void check_complete_order(const Layer& layer, const std::vector<RemainingLoop>& remaining,
                          const std::vector<TemporalLoop>& loops, const std::string& where);

struct ConvertedOrdering {
  TemporalMapping mapping;
  std::vector<std::string> warnings;  ///< entries that were dropped
};

/// The one temporal mapping that layer.mapping.temporal_ordering prescribes, cut as its entry says, or else
/// allocated to the memories.
/// Entries on loops that the layer lacks are dropped; "all" (or "*") as a size is what earlier entries and
/// the unrolling leave.
///
/// Throws InputError when there is no ordering or it can never fit the layer, NoResult when it does not
/// make up exactly what remains in time or does not fit into the memories; and what cut_as_prescribed()
/// throws. Rules::orderings_unchecked
/// takes any product of sizes as it is.
ConvertedOrdering convert_temporal_ordering(const Layer& layer, const Accelerator& accelerator,
                                            const SpatialMapping& spatial_mapping, MappingType type,
                                            const Rules& rules);

}  // namespace zz::core
