#pragma once
#include <cstddef>

#include "core/multicore/search/priced_cut.hpp"

namespace zz::core {

/// Number of nodes of a cut, of all shapes.
int all_nodes(const PricedCut& cut);

/// A node of which all_nodes() need no more than the nodes of all shapes do, whether these run on the core
/// (an index into PricedCut::costs) or are shared among cores. Exact where the same core is the cheapest
/// for every shape.
CoreCost average_node(const PricedCut& cut, std::size_t core);

}  // namespace zz::core
