#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/multi_core_accelerator.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// A loop that a user asks to be cut: "OY, 14", "OY, all" or "OY, 14, spread".
struct CutLoop {
  std::string dimension;
  std::optional<std::int64_t> count;  ///< nothing: "all"
  bool spread = false;  ///< its pieces may run on different cores although they read the same weights

  bool operator==(const CutLoop&) const = default;
};

/// Hints for some layers only.
struct CutEntry {
  std::vector<std::int64_t> layers;  ///< ids
  std::vector<CutLoop> loops;

  bool operator==(const CutEntry&) const = default;
};

/// The mode of SplitOptions in which each layer has hints of its own.
inline constexpr int split_by_layer = 3;

/// How layers are split into computation nodes ("cn_define_mode", "hint_loops", "split_W_percentage").
struct SplitOptions {
  /// 1: `loops` are outer loops of every layer.
  /// 2: `loops` are inner loops, pieces of at most so many iterations; the rest of each loop is outer.
  /// 3: `cut_entries` has outer loops for each layer.
  /// 4: as 1, and layers whose weights are too large are cut in K.
  int mode = 1;
  std::vector<CutLoop> loops;
  std::vector<CutEntry> cut_entries;
  double weight_share = 1;  ///< mode 4: of the smallest candidate's weight memory that a slice may fill
  Rules rules;
};

/// A loop over the computation nodes of a layer.
struct NodeLoop {
  int loop = 0;  ///< index into Layer::loops
  std::int64_t count = 1;
  bool spread = false;  ///< see CutLoop

  bool operator==(const NodeLoop&) const = default;
};

/// The outer loops of a layer, innermost first, never empty. Hints on loops that the layer lacks are passed
/// over. When a count does not divide a loop, the last piece is smaller; no piece is without iterations.
/// Loops that Layer::may_be_cut() does not allow stay whole.
///
/// With Rules::padding_is_data such a loop is enlarged in `layer` until all pieces are equal, and
/// `warnings` receives a sentence for each; in mode 2 the divisor next to the hint is taken instead.
///
/// Throws InputError in mode 3 when no entry names the layer, in mode 4 when a layer without K must be cut,
/// or cannot be cut as finely as it must; with the rule also in mode 2 when no divisor is near the hint.
std::vector<NodeLoop> outer_loops(Layer& layer, const MultiCoreAccelerator& accelerator,
                                  const SplitOptions& options, std::vector<std::string>& warnings);

/// Number of slices of K (output channels) into which mode 4 cuts a layer: as few as possible, so that the
/// weights of one slice fill at most `options.weight_share` of the smallest weight memory (memory operand
/// I2) among the candidate cores. A divisor of K; 1 when the weights fit and when there are none. Does not
/// look at how many candidates there are: outer_loops() leaves layers of a single candidate whole.
///
/// Throws InputError when the layer must be cut and has no K, or K is too small.
std::int64_t weight_slices(const Layer& layer, const MultiCoreAccelerator& accelerator,
                           const SplitOptions& options);

}  // namespace zz::core
