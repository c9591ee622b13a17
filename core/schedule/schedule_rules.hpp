#pragma once

namespace zz::core {

/// What could happen. Differs from the rules of Stream 0.0.8 in that
/// - a tensor on its way to a memory is there when it has arrived, and no request for space is answered
///   with an earlier time than it asked for;
/// - a copy leaves, and its space is free, when its last user and its writing back have ended;
/// - a transfer is shared with other receivers at the same time, not with one's own past;
/// - what a node streams is in the off-chip memory, and its links are reserved for the bits that move while
///   it runs;
/// - nodes that add to one output take it over from each other;
/// - results that are still read on their core stay there until they were.
struct PhysicalRules {
  static constexpr bool physical = true;
};

/// Stream 0.0.8, bit for bit: docs/deviations.md lists what follows from it.
struct StreamRules {
  static constexpr bool physical = false;
};

}  // namespace zz::core
