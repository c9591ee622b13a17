#pragma once
#include "core/multicore/search/cut_prices.hpp"
#include "core/multicore/search/partition_graph.hpp"
#include "core/multicore/search/priced_cut.hpp"
#include "core/search/methods/parallel_for.hpp"

namespace zz::core {

/// Finds what every cut costs, twice: with the least that its nodes can need in the memory of a core, and
/// with inputs that arrive as whole as they can. What neighbours are cut into decides between the two.
///
/// Throws NoResult, naming the layer and its smallest piece, when no core can run a layer however it is
/// cut.
void ask_for_menu(PartitionGraphs& graphs, CutPrices& costs, const ParallelFor& parallel);

/// All costs that are known, as the bounds want them. Cuts that differ in their order only are one.
PricedMenus costed_menu(PartitionGraphs& graphs, const CutPrices& costs);

}  // namespace zz::core
