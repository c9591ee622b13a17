#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"

namespace zz::core {

/// Latencies of a mapping in cycles.
struct Latency {
  double ideal = 0;        ///< steps of the temporal loops, each as long as an operation takes
  double array = 0;        ///< array cycles (ArrayPace): computation without waiting for any port
  double computation = 0;  ///< with stalls
  double onloading = 0;    ///< before the units can start
  double offloading = 0;   ///< after they have finished
  double drain = 0;        ///< until the last result has left a systolic array
  // Stalls among these that are not of ports that fall behind.
  double unhidden = 0;       ///< Port::overlap
  double tile_interval = 0;  ///< Memory::tile_interval, beyond all others
  double total() const { return computation + onloading + offloading + drain; }
  /// Where the default differs from ZigZag for this mapping (docs/deviations.md).
  bool half_shared_corrected = false;
  bool more_to_hide = false;           ///< than a port has time to spare (Rules::stalls_hide_at_every_port)
  bool second_buffer_refused = false;  ///< somewhere (Rules::second_buffers_by_operand)
  double waited_for_ports = 0;         ///< cycles of off-loading that Rules::faster_than_ports leaves out
};

/// Cycles of loading (of the output: off-loading) at both sides of each boundary, by its number, that are
/// not hidden while the units compute; what stalled cycles hide of them is not taken off.
struct LoadingCycles {
  std::array<double, Boundaries::most> below{}, above{};  ///< at the memory below, at the memory above
};

/// `costs`: of all boundaries, by number, under the mapping; nothing else of the operands counts but the
/// outermost loops of their levels, which are read from the mapping.
///
/// Stalls: the units wait for the port that falls behind most. A transfer may use its port during the whole
/// period where the memory below has room for a second buffer, else while the outermost irrelevant loops
/// leave its data unused. Loading: the time to bring the first data from the top memory down to the units
/// and the last results back up, less what hides: each transfer in the cycles that its port has to spare
/// while the units compute, and one cycle in each that they stall. So the latency is the longest of
///
///   * the computation (array cycles), and the loading that it does not hide;
///   * the computation, the stalls, and the loading that nothing hides;
///   * unless Rules::faster_than_ports, all that goes through the busiest port, sums that return with it.
///
/// Where steps are skipped (WorkLeft), windows and computation last as much shorter. Loading hides as it
/// does when none is, but a port's time for all that goes through it bounds the whole: so fewer steps never
/// take longer.
///
/// Cycles that a port does not hide behind the computation are added to the stalls (Port::overlap). They
/// also last until each tile has had its time (Memory::tile_interval). Lines that are touched for the first
/// time occupy their port at least (Port::line).
///
/// A wider port, or another second buffer, lengthens none of the three, and hence no latency: transfers and
/// what cannot be hidden of them take no longer, the port has no less to spare, no stall is longer. With
/// Rules::stalls_hide_at_every_port it may: a cycle less of stalls can cost several of loading.
/// (L. Mei et al.: A Uniform Latency Model for DNN Accelerators, DATE 2022.)
///
/// `loading`, if any, is told what loading takes at each boundary.
Latency latency_of(const CostTables& tables, const CostModelOptions& options, const Boundaries& boundaries,
                   const CompactMapping& mapping, std::span<const BoundaryCost* const> costs,
                   LoadingCycles* loading = nullptr);

/// Boundaries whose memory below has room for the next portion beside the one in use, one bit each.
/// Operands claim room for what they hold without what their outermost relevant loops replace, the smallest
/// first: so a larger memory refuses none that a smaller one grants. With Rules::second_buffers_by_operand
/// in their own order.
std::uint64_t second_buffers(const CostTables& tables, const Rules& rules, const Boundaries& boundaries,
                             const CompactMapping& mapping, std::span<const BoundaryCost* const> costs);

/// Bits that the level below a holder keeps while its outermost relevant loops replace the rest.
double kept_bits(const CostTables& tables, const Boundaries& boundaries, const CompactMapping& mapping,
                 std::span<const BoundaryCost* const> costs, int holder);

/// True if it takes more than the bits held to tell that all operands which share the memory get a second
/// buffer: the outermost loops of their levels then count, too.
bool second_buffers_depend_on_outer_loops(const Boundaries::SharedMemory& memory,
                                          std::span<const BoundaryCost* const> costs);

}  // namespace zz::core
