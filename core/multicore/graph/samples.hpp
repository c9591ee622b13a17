#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::core {

// A batch: the network runs for several samples that share its constants. Each sample has nodes and tensors
// of its own, so that it may be anywhere in the network while others are elsewhere; or nodes of a layer are
// those of several samples together.

/// The loop over samples in a cut, always the outermost one. `[SAMPLES, 4]`: a layer's nodes are those of a
/// quarter of the samples each. Without it each sample has its own. `[SAMPLES, all, spread]`: these may run
/// on different cores although they read the same constants.
inline constexpr const char* samples_loop = "SAMPLES";

/// The loop over a batch that a network has of its own.
inline constexpr const char* batch_loop = "B";

/// Division of the samples by the nodes of a layer.
struct SampleCut {
  int together = 1;  ///< samples in each node; divides their number
  bool spread = false;

  bool operator==(const SampleCut&) const = default;
};

/// Division of so many samples that a cut asks for. Throws InputError where another loop is outside of that
/// over samples, for a count that does not divide them, and for a layer whose nodes cannot be of several
/// samples.
SampleCut sample_cut(const Cut& cut, const Layer& layer, int samples);

/// True if all samples read the same elements of an operand: a weight, and no result of a layer or input of
/// the network. Both weights and inputs of the network are LayerOperand::constant; an input is what has the
/// batch loop among its axes, or in a layer that reads nothing else and lacks that loop, all but the last
/// one in the order of the file.
bool shared_by_samples(const Layer& layer, int operand);

/// Bits of the operands of which all samples read the same elements.
std::int64_t bits_for_all_samples(const Layer& layer);

/// True if nodes of the layer with the same weights run on one core, also those of several samples.
bool shares_weights(const Layer& layer);

/// True if a node of the layer can be of several samples: it reads something of its own for each, and has
/// no loop each iteration of which needs the one before.
bool may_hold_samples(const Layer& layer);

/// The layer of one sample for several: its batch loop is as much longer. may_hold_samples() must hold.
std::shared_ptr<const Layer> with_samples(const Layer& layer, int samples);

/// The graph of so many samples. `one` is the graph of one sample, ready but for index(); so is the result.
/// `cuts` is by layer.
///
/// Nodes of a group that read a constant stay one group over all samples, and follow each other, unless
/// they are spread; all other groups exist once for the samples of a node.
ComputationNodeGraph repeat_for_samples(const ComputationNodeGraph& one, int samples,
                                        const std::vector<SampleCut>& cuts);

/// Throws InputError, naming a layer, for a network that hands something on from sample to sample, as a
/// decoder with a cache of keys and values does, where there are several; with `repeats` always.
void check_samples(const Workload& workload, std::int64_t samples, bool repeats = false);

/// Throws InputError for such a layer. `reason` says why there are several samples.
void check_samples(const Layer& layer, const std::string& reason);

}  // namespace zz::core
