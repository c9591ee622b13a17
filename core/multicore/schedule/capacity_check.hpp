#pragma once
#include <cstdint>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

/// Bits by operand (index into Layer::operands).
using OperandBits = std::vector<std::int64_t>;

/// The bits that a running node of each layer needs in the memory of its core, by
/// ComputationNodeGraph::layers: the largest need of any node of the layer. The output counts with its
/// partial sums; inputs from other layers as the producers' tensors, which are kept whole.
///
/// With Rules::fit_by_first_node the need of the layer's first node alone, with the bits of its
/// dependencies.
std::vector<OperandBits> capacity_needs(const ComputationNodeGraph& graph, const Rules& rules);

/// Operands that do not fit into the topmost memories of a core, in the order in which that was found:
/// memory by memory in file order, the smallest first. In each memory the smallest operands stay, as long
/// as there is room for what the lowest memories take of the others. (A. Symons et al.: Stream, IEEE TC
/// 2024.)
std::vector<int> too_large_operands(const Layer& piece, const Accelerator& core, const OperandBits& needs);

}  // namespace zz::core
