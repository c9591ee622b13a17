#pragma once
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"

namespace zz::core {

/// Three figures for the latency of a layer in a group, in cycles. They differ in what hides behind what,
/// and are the same for a layer that shares no loops, but for `hidden`.
struct FusedLatency {
  /// That of a core that hides all loading of a layer behind its computation: what the array takes, or the
  /// busiest port for all that passes it. No mapping with the same transfers is faster.
  double hidden = 0;
  /// That of CostModel for the whole layer: its phases follow each other, and loading for one of them hides
  /// behind the one before.
  double evaluated = 0;
  /// That of phases between which other layers run, so that nothing hides across them: each waits for all
  /// that it loads first and off-loads last.
  double promised = 0;

  FusedLatency& operator+=(const FusedLatency& other) {
    hidden += other.hidden;
    evaluated += other.evaluated;
    promised += other.promised;
    return *this;
  }
  FusedLatency& operator-=(const FusedLatency& other) {
    hidden -= other.hidden;
    evaluated -= other.evaluated;
    promised -= other.promised;
    return *this;
  }
};

/// The latency of the layer `index` of the network as a member of its group. [any thread]
FusedLatency fused_latency(const FusedNetwork& network, int index, const FusedLayer& layer);

}  // namespace zz::core
