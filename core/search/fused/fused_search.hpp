#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/search/fused/fused_latency.hpp"
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/fused/known_layers.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {

/// Limits of the search of one part, as of a layer by itself for the latency, which must come nearer to the
/// best one than all parts together.
inline SearchLimits nearer(SearchLimits limits) {
  limits.gap /= 10;
  return limits;
}

// In docs/limits.md.
inline constexpr std::size_t most_on_chip = 65536;

struct FusedOptions {
  /// As the layers were mapped by themselves.
  Objective objective = Objective::energy;
  SearchLimits limits = {};
  /// Memories in which tensors may be exchanged, by name; empty: all that can. All tensors of a
  /// network lie in one of them: the one where most is saved.
  std::vector<std::string> exchange_memories = {};
  bool keep = true;       ///< operands may be kept across shared loops
  bool any_order = true;  ///< else only the order of the network
  /// Tiles of an axis may divide a length that is greater than its size by this fraction, where that makes
  /// more tiles. The last tile is then smaller than the others. 0: tiles divide their axis.
  double enlarge = 0;
  /// Sets of tensors on chip up to which each has a bound of its own. Beyond, bounds are those of each
  /// layer by itself: what is found is the same, but less of it is proven in the same time.
  std::size_t on_chip = most_on_chip;
  /// A result that is better by no more than this fraction is only taken if its energy is no higher. For
  /// the latency, as the layers were mapped by themselves (JointOptions::within).
  double within = 0;
  KnownLayers* known = nullptr;  ///< of earlier searches; nullptr: nothing is known
};

/// The best mapping of a network on one core, with a proof.
struct FusedOptimum {
  FusedNetwork network;  ///< the one given, in the order in which its layers run
  FusedMapping mapping;
  double value = infinite;    ///< of the objective, by the sums of all layers as CostModel computes them
  double lower_bound = 0;     ///< no mapping of the space has less
  double unfused = infinite;  ///< the layers' best mappings by themselves
  double unfused_energy = 0, unfused_latency = 0;  ///< pJ and cycles of the same
  double energy = 0;                               ///< pJ of all layers
  FusedLatency latency;                            ///< of all layers
  std::uint64_t labels = 0;  ///< partial mappings of layers, and of the network, that were kept
  bool cut_off = false;      ///< a limit of time or memory ended the search

  double gap() const { return gap_above(lower_bound, value); }
  /// The objective's value of what is sure.
  double promised(Objective objective) const { return value_of(objective, energy, latency.promised); }
};

/// Searches the order of the layers, which tensors are exchanged on chip, the loops that neighbours share,
/// the operands that are kept across them, and each layer's temporal mapping under its own unrolling, for
/// the objective.
/// docs/fused.md tells the space and the method. The lower bound of the latency is that of a core that
/// hides all loading behind the computation of the same layer.
///
/// Layers of no set keep their own mapping. The others must run on one accelerator or on the vector unit
/// beside it, `unfused` included in the space: their best mapping under their unrolling. The result is
/// never worse than `unfused`.
///
/// Deterministic unless a limit ends the search. Throws InputError for a memory in which nothing can be
/// exchanged, NoResult when a layer has no mapping.
FusedOptimum find_fused_mapping(const FusedNetwork& network, const FusedOptions& options);

}  // namespace zz::core
