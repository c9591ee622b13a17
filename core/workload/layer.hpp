#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/mapping/layer_mapping.hpp"

namespace zz::core {

/// One loop of the layer's loop nest: name (upper case, "OX") and number of iterations.
struct LoopDimension {
  std::string name;
  std::int64_t size = 1;
  /// Each iteration needs the results of the one before, as the steps of a recurrent layer. It is then the
  /// outermost loop in time, and not unrolled. A layer has one such loop at most.
  bool sequential = false;

  bool operator==(const LoopDimension&) const = default;
};

/// A data dimension that is walked by two loops together, as the input rows of a convolution:
/// `data = stride * output_loop + dilation * filter_loop`, for example "IX = 2*OX + 1*FX".
struct DimensionRelation {
  std::string data;  ///< "IX"
  std::int64_t stride = 1;
  std::string output_loop;  ///< "OX"
  std::int64_t dilation = 1;
  std::string filter_loop;  ///< "FX"
  std::int64_t size = 0;    ///< elements of the whole data dimension, padding left out
  std::int64_t padding_low = 0, padding_high = 0;
  /// Padding was given. Kept apart from zero because result files repeat what was given.
  bool has_padding = false;

  bool operator==(const DimensionRelation&) const = default;
};

/// One tensor of the layer. The first operand of a layer is the output, the two others are inputs, in
/// the order of the equation.
struct LayerOperand {
  std::string name;                     ///< "O", "W", "I"
  std::vector<std::string> dimensions;  ///< as in the brackets of the equation, upper case
  std::int64_t precision = 0;           ///< bits per element; of the output: of a partial sum
  bool constant = false;                ///< not produced by a layer: weights
  std::vector<std::int64_t> sources;    ///< ids of the layers that produce it
  /// Where it has sources: elements that no layer produces and that lie off chip from the start, as cached
  /// keys and values. Read by the stages for several cores only.
  std::int64_t offchip_elements = 0;
  BlockScale scale = {};  ///< of numbers in blocks; of the output: of partial sums

  bool operator==(const LayerOperand&) const = default;
};

/// Bearing of a loop dimension on an operand. `none`: a dimension of size 1 that is neither.
enum class Relevancy { none, relevant, irrelevant, partially_relevant };

/// One layer (operator) of a network as a perfectly nested loop over multiply-accumulates.
struct Layer {
  std::int64_t id = 0;
  std::string name;
  std::string type;      ///< operator type: "Conv", "Gemm", ...
  std::string equation;  ///< normalised: "O[b][k] = W[k][c] * I[b][c]"
  std::vector<LoopDimension> loops;
  std::vector<DimensionRelation> relations;
  std::vector<LayerOperand> operands;
  /// Input operands whose source is known, constant or not, in the order in which the file names the
  /// sources: fused scheduling gives the order a meaning. Other stages do not look at it.
  std::vector<int> source_order;
  std::int64_t final_output_precision = 0;  ///< bits of a finished output element ("O_final")
  BlockScale final_output_scale = {};
  /// "O", "W", "I" and "O_final", as far as nobody said their bits: these follow from floating-point types
  /// of tensors, or are the usual ones of a partial sum. Those of an accelerator's units come before them.
  std::vector<std::string> assumed_precision;
  /// The same names, of operands that are in blocks because the network's file says so, and nobody else.
  std::vector<std::string> assumed_scales = {};
  /// Zeros of its operands; those that are not named have none that count.
  std::vector<OperandSparsity> sparsity;
  /// Its operations work on elements, as activations do, and are no multiply-accumulates.
  bool vector_work = false;
  LayerMapping mapping;  ///< the mapping file's words on this layer

  bool operator==(const Layer&) const = default;

  /// Index into `loops`, or -1.
  int loop_index(const std::string& dimension) const;
  /// Index into `loops` of the sequential one, or -1.
  int sequential_loop() const;
  std::int64_t loop_size(const std::string& dimension) const;  ///< 1 when there is no such loop
  int operand_index(const std::string& operand) const;         ///< -1 when there is none
  /// Index into `relations` of the one in which the loop takes part, or -1.
  int relation_of_loop(const std::string& dimension) const;
  /// False when pieces of loops[loop] would need each other's results: that of a sequential loop, and what
  /// only some of the operands that move with it depend on.
  bool may_be_cut(int loop) const;
  /// Relevancy of loops[loop] for operands[operand].
  Relevancy relevancy(int operand, int loop) const;
  /// True when the operand is addressed through the relations (some dimension of its brackets is the
  /// data dimension of one); then all relations bear on it.
  bool has_relations(int operand) const;

  std::int64_t mac_count() const;  ///< product of all loop sizes
  /// Elements of the whole tensor. The rules say how window positions count.
  std::int64_t operand_elements(int operand, const Rules& rules) const;
  std::int64_t operand_bits(int operand, const Rules& rules) const;  ///< with what is beside (TileBits)
  /// Memory operand ("I1", "I2", "O") that the layer operand is assigned to, or "" when it has none.
  const std::string& memory_operand(int operand) const;
  /// Index of the layer operand assigned to the memory operand, or -1.
  int operand_assigned_to(const std::string& memory_operand) const;
};

/// Layer::relevancy() of one operand and all loops.
std::vector<Relevancy> relevancies(const Layer& layer, int operand);

/// Layer::operand_elements(), where the relevancies are known.
std::int64_t operand_elements(const Layer& layer, int operand, const std::vector<Relevancy>& relevancy,
                              const Rules& rules);

/// True when the layers differ in nothing but which ones they are: their ids, their names, and the layers
/// that their operands come from. Such layers have the same mappings at the same costs.
bool same_work(const Layer& a, const Layer& b);

/// The layer without what tells it from others that do the same work, on whichever core: its name, its
/// position in the network, and the cores that may run it. What it costs depends on nothing but this and
/// the accelerator.
Layer without_identity(Layer layer);

/// Which input of a layer is its weight and which its activation, as indices into Layer::operands; -1 when
/// the layer lacks it.
struct OperandRoles {
  int activation = -1;
  int weight = -1;
};

/// The constant input is the weight. With no constant input (an addition of two feature maps) the weight is
/// the first input of the equation. With two, the activation is the one that is addressed through the
/// first relation, else the first.
OperandRoles operand_roles(const Layer& layer);

/// True when some input of the layer is constant, so that the layer has weights of its own.
bool has_constant_input(const Layer& layer);

}  // namespace zz::core
