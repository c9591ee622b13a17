#pragma once
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/bound/detail/layer_needs.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// Cycles around the nodes of a layer with one of its cuts, at least, whatever the cuts of the others.
struct CutWait {
  double before = 0;  ///< until any of its nodes can start
  double span = 0;    ///< from the start of the first to the end of the last one
  double after = 0;   ///< that follow the end of any of its nodes

  double total() const { return before + span + after; }
};

/// Waits by pairs of cuts, of a producer and its reader:
///
/// - A node starts after its constants have come from off-chip, and after all nodes of a producer that hold
///   something that it reads have ended and the last result has come to one of the reader's cores, directly
///   or over a core that passes it on. Of the producer's cuts the one counts with which that is soonest.
/// - After a node end all nodes of each reader that read something of its result, which first has to come
///   there; after that of the last layer its result goes off-chip. Of the reader's cuts the one counts with
///   which that is soonest.
/// - Nodes of a group run on one core, one after the other; so many groups that are alike take the time in
///   which the cores that may run them end so many.
///
/// By layer and cut; a cut of the menu occurs once more for each of PricedCut::grouped_otherwise. `whole`
/// is the network with each layer in one piece, and `inputs` are direct_inputs(). Beyond
/// `most_pairs_of_cuts` pairs no more waits are looked for.
std::vector<std::vector<CutWait>> cut_waits(const ComputationNodeGraph& whole,
                                            const std::vector<DirectInput>& inputs,
                                            const MultiCoreAccelerator& accelerator,
                                            const PricedMenus& menu, int samples);

// In docs/limits.md.
inline constexpr double most_pairs_of_cuts = 20'000'000;

}  // namespace zz::core
