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

/// By what a layer exchanges: cycles that it takes at least.
using LatencyFloors = std::array<double, OperandSet::count>;

/// The rules by which a join of layers counts.
struct JoinRules {
  double capacity = 0;  ///< of the exchange memory, bits
  bool keep = true;     ///< operands may be kept across shared loops
  WeightedCost weighted;
  /// That of the mappings of layers by themselves.
  Objective objective = Objective::energy;
};

/// A way to map a layer under a list of shared loops: a phase of the tree of loops.
struct LayerPhase {
  /// Held while the loop of a depth runs.
  using PerDepth = std::array<double, SharedLists::most_loops>;

  double value = 0;   ///< weighted cost
  PerDepth kept{};    ///< bits
  double needed = 0;  ///< bits of the exchange memory while the layer runs, of all but what is exchanged
  std::array<FusedOperand, max_operands> operands;
  bool partial = false;
  bool as_it_was = false;  ///< with its own mapping: a layer of no set, or one with another length
  std::uint32_t label = 0;
};

/// All ways to map the layers of a network under lists of shared loops, with operands that are kept,
/// brought or exchanged. Each is made at the first question.
class LayerPhases {
 public:
  /// Refers to all. Of layers of no set the weighted cost is that of their own mapping; its bound is known
  /// where the weighted cost is the objective of that mapping.
  LayerPhases(const FusedNetwork& network, const Numbered<LayerViews>& layers, const JoinRules& rules,
              const Numbered<LatencyFloors>& floors, SharedLists& lists);

  /// The ways to map a layer below a list with these operands exchanged, by rising weighted cost; without
  /// those that another one is no worse than in everything.
  const std::vector<LayerPhase>& at(int layer, int list, OperandSet on_chip);
  /// The least weighted cost of the layer with these operands exchanged, over all tiles, with the exchange
  /// memory to itself, and with everything else that it keeps paid once.
  double bound(int layer, OperandSet on_chip) const { return bounds_[layer][on_chip.number()]; }
  /// Bits of a finished tensor's tile under the first `depth` loops of a list.
  double tensor_bits(int tensor, int list, int depth);
  /// The same while its producer still adds to it.
  double made_bits(int layer, int list, int depth, bool partial);
  /// A layer of no set.
  bool is_alone(int layer) const { return layers_[layer].none(); }

 private:
  struct Choice;
  /// By operand, and for the output by whether it lies in the exchange memory as partial sums.
  using Choices = std::array<std::array<std::vector<Choice>, 2>, max_operands>;
  using Rooms = TileSummaries::Rooms;

  double alone(const MappedLayer& layer, bool bound) const;
  void bound_layer(std::size_t layer, const LayerTiles& tiles,
                   std::array<double, OperandSet::count>& bounds) const;
  std::vector<Choice> choices(int layer, const LayerTiles& tiles, int list, int operand, bool partial,
                              bool exchanged);
  void add_phases(int layer, int list, OperandSet on_chip);
  std::vector<LayerPhase> made(int layer, int list, OperandSet on_chip);

  const FusedNetwork& network_;
  const Numbered<LayerViews>& layers_;
  JoinRules rules_;
  const Numbered<LatencyFloors>& floors_;
  SharedLists& lists_;
  Numbered<std::array<double, OperandSet::count>> bounds_;  ///< by layer and operands on chip
  Numbered<std::unordered_map<std::uint64_t, std::vector<LayerPhase>>> known_;  ///< by layer
  std::vector<LayerPhase> found_;                                               ///< of the question at hand
};

}  // namespace zz::core
