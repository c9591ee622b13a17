#pragma once
#include <span>
#include <vector>

#include "core/cost/boundary_cost.hpp"
#include "core/cost/cost_model.hpp"
#include "core/cost/evaluation.hpp"

namespace zz::core {

/// Fills latency_parts, energy_parts and ports of an evaluation whose figures and objects are there, from
/// the costs that they were made of. Takes some microseconds: searches do without.
///
/// Idle units and remainders share ideal_temporal_cycle - ideal_cycle by the logarithms of their ratios,
/// the only split in which the order of array dimensions is of no consequence. Ports share the time that
/// the units wait for the slowest of them by share_of_largest(); so they share what of an array that is not
/// full stands behind ports.
void fill_parts(Evaluation& evaluation, const CostModel& model, const CompactMapping& mapping,
                std::span<const BoundaryCost* const> costs);

/// Shares of the largest height: each slice between two heights belongs equally to all that reach above it.
/// (S. Littlechild, G. Owen: A Simple Expression for the Shapley Value in a Special Case, Management
/// Science 1973.)
std::vector<double> share_of_largest(std::span<const double> heights);

}  // namespace zz::core
