#pragma once
#include "core/fusion/outer_loops.hpp"

namespace zz::core {

/// Into how many slices of K ("output channels") a layer is cut so that the weights of each fill at most
/// `options.weight_share` of the smallest weight memory among its candidate cores. A divisor of K; 1 when
/// they fit, when there are none, and when only one core may run the layer: then nothing is won.
///
/// The weight is the constant operand kept in the memory operand I2; as in Stream 0.0.8 (compat) the first
/// constant operand, which may be the network's input.
///
/// Throws InputError when the layer must be cut and has no K, or K is too small.
std::int64_t weight_split_factor(const Layer& layer, const MultiCoreAccelerator& accelerator,
                                 const SplitOptions& options);

/// The same also for layers that only one core may run.
std::int64_t weight_slices(const Layer& layer, const MultiCoreAccelerator& accelerator,
                           const SplitOptions& options);

}  // namespace zz::core
