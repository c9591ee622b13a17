#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/search/fused/detail/shared_lists.hpp"
#include "core/search/fused/detail/tile_summaries.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/methods/objective.hpp"

namespace zz::core {

/// Of an operand in a set of them.
inline unsigned bit_of(int operand) { return 1U << static_cast<unsigned>(operand); }

/// By set of a layer's operands that are exchanged, one bit each: cycles that it takes at least.
using LatencyFloors = std::array<double, 8>;

/// What a join of layers counts.
struct JoinPrices {
  double capacity = 0;  ///< bits of the home memory
  bool keep = true;     ///< operands may be kept across shared loops
  FusedPrice price;
  /// That of the mappings of layers by themselves.
  Objective objective = Objective::energy;
};

/// A way to map a layer under a list of shared loops: a phase of the tree of loops.
struct LayerPhase {
  using PerDepth = std::array<double, SharedLists::most_loops>;

  MultisetTables::Cost cost;
  double value = 0;   ///< price of the cost
  double room = 0;    ///< bits of what is brought, while the layer runs
  PerDepth kept{};    ///< bits by depth
  double needed = 0;  ///< room and all that is kept
  std::array<FusedOperand, max_operands> operands;
  bool partial = false;
  bool as_it_was = false;  ///< a layer that is enlarged otherwise
  int unrolling = 0;       ///< in the layer's menu
  std::uint32_t label = 0;
};

/// All ways to map the layers of a network under lists of shared loops, with operands that are kept,
/// brought or exchanged. Each is made at the first question.
class LayerPhases {
 public:
  /// Refers to all. Of layers of no set the price is that of their own mapping; its bound is known where
  /// the price is the objective of that mapping.
  LayerPhases(const FusedNetwork& network, const std::vector<LayerMenu>& layers, const JoinPrices& prices,
              const std::vector<LatencyFloors>& floors, SharedLists& lists);

  /// The ways to map a layer below a list with any of its unrollings, with these operands exchanged, by
  /// rising price; without those that another one is no worse than in everything.
  const std::vector<LayerPhase>& at(int layer, int list, unsigned on_chip);
  /// The least price of the layer with these operands exchanged, over all unrollings and tiles, with the
  /// home memory to itself, and with everything else that it keeps paid once.
  double bound(int layer, unsigned on_chip) const {
    return bounds_[static_cast<std::size_t>(layer)][on_chip];
  }
  /// Bits of a finished tensor's tile under the first `depth` loops of a list.
  double tensor_bits(int tensor, int list, int depth);
  /// The same while its producer still adds to it.
  double made_bits(int layer, int list, int depth, bool partial);
  /// A layer of no set.
  bool is_alone(int layer) const { return layers_[static_cast<std::size_t>(layer)].empty(); }

 private:
  struct Choice;
  using Choices = std::array<std::array<std::vector<Choice>, 2>, max_operands>;

  double alone(const UnrolledLayer& layer, bool bound) const;
  void bound_layer(std::size_t layer, const LayerViews& views, const LayerTiles& tiles,
                   std::array<double, 8>& bounds) const;
  Choices choices(int layer, int unrolling, const LayerTiles& tiles, int list, unsigned on_chip);
  void add_phases(int layer, int unrolling, int list, unsigned on_chip, std::vector<LayerPhase>& found);
  std::vector<LayerPhase> made(int layer, int list, unsigned on_chip);

  const FusedNetwork& network_;
  const std::vector<LayerMenu>& layers_;
  JoinPrices prices_;
  const std::vector<LatencyFloors>& floors_;
  SharedLists& lists_;
  std::vector<std::array<double, 8>> bounds_;  ///< by layer and operands on chip
  std::vector<std::unordered_map<std::uint64_t, std::vector<LayerPhase>>> known_;  ///< by layer
};

}  // namespace zz::core
