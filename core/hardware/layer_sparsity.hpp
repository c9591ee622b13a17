#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"
#include "core/workload/layer.hpp"
#include "core/workload/tile_bits.hpp"

namespace zz::core {

// The zeros of a layer's operands. Whoever says more about them comes first: the mapping file, the
// workload, the accelerator.

/// Those of an operand of the layer; nullptr: none that count.
const OperandSparsity* sparsity_of(const Layer& layer, const std::string& operand);
/// Gives an operand zeros in place of those that it has. Does nothing where the layer has none such.
void set_sparsity(Layer& layer, const OperandSparsity& sparsity);

/// Why the zeros cannot be those of an operand of the layer: a pattern along a loop that is none of its
/// dimensions, or that its blocks do not divide. "": they can.
std::string sparsity_problem(const Layer& layer, const OperandSparsity& sparsity);

/// Gives operands of which nothing is said the zeros that the accelerator has for their tensors: `W`,
/// `layer.W`, or a pattern of either. True when some have.
bool adopt_sparsity(Layer& layer, const Accelerator& accelerator);

/// The bits of an operand in the memories that hold it, by index from the lowest one up.
HeldBits held_bits_of(const Layer& layer, int operand, const Accelerator& accelerator,
                      const std::vector<int>& memories);

/// Some operand is in a format there; `none` is no format.
bool has_format(const Memory& memory);

/// Zeros of some layer bear on what the accelerator does: it skips or gates some, or has formats.
bool counts_zeros(const Accelerator& accelerator);

/// Throws InputError where zeros of a layer would count on the accelerator: `where`, as "several cores",
/// has no count of them.
void refuse_zeros(const Accelerator& accelerator, const Layer& layer, const std::string& where);

/// Sentences on zeros that several cores pass over: those of layers, and of files of cores, by name. A zero
/// that would count on a core is an error of the accelerator.
std::vector<std::string> zeros_on_several_cores(
    const std::vector<std::shared_ptr<const Layer>>& layers,
    const std::vector<std::shared_ptr<const Accelerator>>& cores);

/// Room that memories have for operands in a format: "memory 'glb' has room for W as bitmask, ...".
std::vector<std::string> room_for_formats(const Accelerator& accelerator,
                                          const std::vector<std::shared_ptr<const Layer>>& layers);
/// Sentences on entries of workload_sparsity that decide for no tensor, or do not fit one. `passed_over`:
/// names of what the network has besides `layers`, without a cost.
std::vector<std::string> entries_without_tensors(const Accelerator& accelerator,
                                                 const std::vector<std::shared_ptr<const Layer>>& layers,
                                                 const std::vector<std::string>& passed_over);
/// Sentences on zeros that change nothing, and on keys of the accelerator that find no zeros in these
/// layers: `format` and `on_zero` of operands that are not sparse.
std::vector<std::string> keys_without_zeros(const Accelerator& accelerator,
                                            const std::vector<std::shared_ptr<const Layer>>& layers);

}  // namespace zz::core
