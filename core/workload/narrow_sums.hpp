#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/mapping/layer_mapping.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// The problem with the bits of sums ("O"): "O has 8 bits, fewer than O_final, the finished results, with
/// 16", or "O has 8 bits, and a product of W and I, with 8 and 8 bits, takes 16". "" when nothing is wrong,
/// or when not enough is said. Wider numbers than 8 bits may be floating-point ones, whose products need no
/// more bits than they have.
std::string narrow_sums(const std::vector<OperandPrecision>& bits);

/// Warns of the layers whose sums are too narrow, once for all that are so alike. What the network or the
/// units are only assumed to have does not count.
void warn_of_narrow_sums(const Workload& workload, const SourceMark& mark, Diagnostics& diagnostics);

}  // namespace zz::core
