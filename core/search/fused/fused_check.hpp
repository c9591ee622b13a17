#pragma once
#include <string>
#include <vector>

#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// The violations of a fused mapping of a network; none for a sound one.
///
/// * nests: each layer's loops are those of the layer, the shared ones outermost, and neighbours share the
///   same ones, as many as both say;
/// * finished data: under the loops that its layers share, what a layer reads of a tensor is what was
///   written in the same iterations, with all its sums; on chip it is the tile that is there. Where a
///   window reaches beyond its iteration, the layer runs behind the loop until the last row is there;
/// * reuse: an operand is cut where its place says, so that nothing is used on in the next iteration of a
///   shared loop but what is kept;
/// * room: in every phase the exchange memory has room for what the layer holds there, and for what waits
/// there, kept
///   or to be read, of other layers: tiles, and rows that later iterations read again.
///
/// Walks the tree of loops by itself: shares no code with the search or the cost model. Axes of tensors are
/// those of the network. [any thread]
std::vector<std::string> fused_violations(const FusedNetwork& network, const FusedMapping& mapping);

/// The contents of an exchange memory while a layer runs.
struct PhaseRoom {
  struct Held {
    int layer = 0, operand = 0;  ///< of a tensor that waits: the layer that makes it, and 0
    double bits = 0;
  };
  std::vector<Held> held;
  double bits = 0;  ///< of all
};

/// By layer what a memory of the array holds, as the check of rooms walks them; nothing of layers of no
/// set. The mapping has only violations of room, if any.
std::vector<PhaseRoom> phase_rooms(const FusedNetwork& network, const FusedMapping& mapping,
                                   int exchange_memory);

}  // namespace zz::core
