#pragma once
#include <string>
#include <vector>

#include "core/multicore/graph/cut.hpp"
#include "core/multicore/graph/layer_stacks.hpp"
#include "core/value/value.hpp"

namespace zz::core {

/// The parameter `hint_loops`: loops for every layer, or loops by layer.
struct HintLoopsSetting {
  bool by_layer = false;
  std::vector<CutLoop> loops;         ///< when not by layer
  std::vector<CutEntry> cut_entries;  ///< when by layer
};

/// Reads `hint_loops` as pipelines write it:
///
///   [[OY, all], [K, 4]]                    loops of every layer; also ["OY, all", "K, 4"]
///   {"0,1,2": [[OY, all]], "3": []}        loops by layer ids; keys also as "(0, 1, 2)"
///   {"0": [[OY, 28, spread]]}              pieces with the same weights may run on several cores
///   {"0": [[K, 64], [D, 4, lockstep]]}     ... and get each slice of these in one transfer
///   [[[OY, all]], [[K, 4]]]                one list for each of `stacks`, in order
///
/// The third form needs as many `stacks` as it has lists. Null is an empty list. Throws InputError with the
/// wrong part and what is expected.
HintLoopsSetting read_hint_loops(Ref value, const LayerStacks& stacks = {});

/// True for the third form above, for which the caller must know the stacks.
bool is_hint_list_by_stack(Ref value);

/// Reads a list of lists of layer ids. Throws InputError.
LayerStacks read_layer_stacks(Ref value);

/// Reads a layer id or a list of them; null is an empty list. `what` names it in messages.
std::vector<std::int64_t> read_layer_ids(Ref value, const std::string& what);

/// The plain values that read_hint_loops() and read_layer_stacks() read.
Value hint_loops_value(const std::vector<CutEntry>& hints);
Value layer_stacks_value(const LayerStacks& stacks);

}  // namespace zz::core
