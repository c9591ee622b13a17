#pragma once
#include <memory>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/bound/detail/uncut_network.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// Cycles around the nodes of a layer with one of its cuts, at least, whichever of the cuts that
/// compete the others have.
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
class CutWaits {
 public:
  /// By layer: cuts, numbered as in the menu, but that those with PricedCut::grouped_otherwise have a
  /// number more for each other division into groups.
  using Rows = std::vector<std::vector<int>>;
  using Waits = std::vector<std::vector<CutWait>>;  ///< by layer and row

  /// `whole` is the network with each layer in one piece, and `inputs` are direct_inputs(). Refers to all
  /// but the inputs.
  CutWaits(const ComputationNodeGraph& whole, const std::vector<DirectInput>& inputs,
           const MultiCoreAccelerator& accelerator, const PricedMenus& menu, int samples);
  ~CutWaits();

  Rows all_rows() const;
  /// Waits where no others compete, in the order of the rows.
  Waits among(const Rows& rows);
  /// Keeps what is found out about pairs, a number for each, for calls to come.
  void keep();
  /// False: beyond `most_pairs_of_cuts` pairs no more waits were looked for.
  bool complete() const;

 private:
  class Pairs;
  std::unique_ptr<Pairs> pairs_;
};

// In docs/limits.md.
inline constexpr double most_pairs_of_cuts = 20'000'000;

}  // namespace zz::core
