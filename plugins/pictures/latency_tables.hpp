#pragma once
#include "plugins/pictures/labels.hpp"
#include "plugins/pictures/picture.hpp"

namespace zz::plugins {

/// Parts of the latency of each result, and demands on its ports. Results that are layers of a network,
/// each once, have one more behind them: the network.
///   results  {result, label, cycles, share, limited_by, help}       share: of the network, 0..1, or null;
///   help: what would
///                                                                   save most, or ""
///   limiters {limiter, label, kind}                                 what latencies wait for, most first;
///   kind: units, array,
///                                                                   drain, port, or unknown
///   latency  {result, limiter, cause, kind, what, where, cycles}    the parts add up to the whole; kind:
///   working, idle,
///                                                                   behind (a port), waiting, loading,
///                                                                   drain, unknown
///   ports    {result, port, needed, given, stall, traffic}          of a network the sums of its layers
VegaTables latency_tables(const ResultList& results);

}  // namespace zz::plugins
