#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"

namespace zz::core {

/// Which rules an evaluation must keep.
enum class AuditScope {
  all,
  arithmetic,  ///< only those that figures of ZigZag and Stream (`compat`) keep as well
  /// Only those that any cost model keeps. Figures that are 0 were not given: only breakdowns that are
  /// there must add up.
  given,
};

/// The rules that the evaluation of one layer breaks, each by name with what breaks it; none for a sound
/// one.
///
/// * finite numbers: no figure is infinite, not a number, or negative;
/// * sums: directions add up to levels, levels to the memory energy, and parts, those of scales and
/// metadata among them, to energy and latency;
/// * direction of travel: inputs only travel down, and nothing passes the topmost memory.
///
/// And, in the scope `all`, for an evaluation with layer, accelerator and mapping:
///
/// * coverage: unrolled and temporal loops of each operand make up the loops of the layer;
/// * occupancy: what operands hold in a memory fits into it, with the scales of their blocks; in a format
/// the expected bits do, and not the room that its quantile asks for;
/// * compulsory traffic: the bits of each tensor, with what is stored beside its data, cross every boundary
/// between its memories;
/// * port bandwidth: no port moves more accesses than the layer has cycles (partial sums that return
/// aside);
/// * computation: the latency is no shorter than the temporal loops, which leave no unit more than its
/// share, and than the cycles that `fold` and `instruction` of the accelerator give the array for them.
///
/// Where zeros are skipped it expects the rounds that some unit of a round makes, and counts them from the
/// elements of the round's units. It counts the scales of blocks one by one. The bits of tiles in a format
/// are those of TileBits, and the loop of blocks that name none is scale_axis(), as everywhere.
///
/// Shares no other code with the cost model: it reads layer, accelerator and mapping, and counts by itself.
/// Data that are a matter of rounding count for the evaluation. Takes some microseconds. [any thread]
std::vector<std::string> audit(const Evaluation& evaluation, AuditScope scope = AuditScope::all);

/// The rules of the scope `given` that a sum of these evaluations breaks, if no part of it does: its totals
/// are those of the parts, and its breakdowns add up to them.
std::vector<std::string> audit_sum(const Evaluation& sum, std::span<const Evaluation* const> parts);

}  // namespace zz::core
