#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/hardware/multi_core_accelerator.hpp"

/// Ways to join the cores of an accelerator. Each function fills `links` and `connections` from the cores,
/// the special ids and the shared memories, without derive(). Connections are made in the order in which
/// they are described here; links are numbered core by core, in the order of cores_by_connection(), and
/// within a core by its outgoing connections.
///
/// Cores that share a memory get no link between them, except to the off-chip core.
///
/// The pooling, simd and off-chip cores are special cores, all others regular ones. The off-chip core is
/// joined last: regular cores, pooling, simd, each to it and from it. If the lowest memory that holds O in
/// it has one port, that is one link for all and both directions, else one link for all into it and one out
/// of it; their bandwidths are those of that memory.
namespace zz::core {

/// A link in numbers: bits per cycle that it carries, pJ per cycle of a transfer.
struct LinkFigures {
  double bandwidth = 0;
  double unit_energy = 0;
};

/// Figures of an accelerator file for the links of a simd core in a mesh.
struct SimdLinkFigures {
  std::optional<double> bandwidth;    ///< bits per cycle; absent: that of the ports of its memories
  std::optional<double> unit_energy;  ///< pJ per cycle of a transfer; absent: 0
};

/// Regular cores fill `rows` x `columns` column by column; neighbours have a link each way: row by row to
/// the right and back, then column by column down and back. The pooling core has a link from and to every
/// regular core. rows * columns must be the number of regular cores.
///
/// Regular cores and the pooling core reach the simd core through its own ports: one link into it and one
/// out of it, which all share. They are as wide as the narrowest of the top memories of the simd core; a
/// top memory with one port makes them one link for both directions. `simd` says otherwise. With
/// Rules::simd_transfers_free, links of which `simd` says nothing take no time and no energy.
void join_mesh(MultiCoreAccelerator& accelerator, int rows, int columns, LinkFigures figures,
               const SimdLinkFigures& simd = {}, const Rules& rules = {});

/// The accelerator as Rules::simd_transfers_free has it, derived; nothing when the simd core has other
/// links than join_mesh() makes by default.
std::optional<MultiCoreAccelerator> with_free_simd_links(const MultiCoreAccelerator& accelerator);

/// One link for all pairs of regular cores and for those with the simd core; the pooling core has links of
/// its own from and to every regular core.
void join_by_bus(MultiCoreAccelerator& accelerator, LinkFigures figures);

/// A group of cores: two have a link each way, more than two share a link, the bus between them.
struct JoinedCores {
  std::vector<int> cores;
  LinkFigures figures;
  bool is_bus = false;  ///< also for two cores
};

/// Two cores that two groups join.
struct RejoinedPair {
  int core = 0, other = 0;  ///< core ids
  std::size_t group = 0;    ///< index of the later group, which counts

  bool operator==(const RejoinedPair&) const = default;
};

/// Joins the groups in turn; returns the pairs that a group joins again. As in Stream, the graph has one
/// connection from a core to another: it keeps its place and gets the link of the later group. An off-chip
/// core that is in no group is joined to all other cores, in order of their ids, with
/// `offchip_unit_energy`.
///
/// Where groups join the off-chip core by links and buses that together carry more than its ports do, the
/// ports are links besides, which cost no energy. With Rules::offchip_ports_free there are none.
std::vector<RejoinedPair> join_groups(MultiCoreAccelerator& accelerator,
                                      const std::vector<JoinedCores>& groups, double offchip_unit_energy,
                                      const Rules& rules = {});

/// The accelerator as Rules::offchip_ports_free has it, derived; nothing when its off-chip core has no such
/// ports.
std::optional<MultiCoreAccelerator> with_free_offchip_ports(const MultiCoreAccelerator& accelerator);

/// One way between every two cores: fewest connections, whatever their bandwidth. Of several shortest ones
/// it is the one that a breadth-first search from both ends meets first, which always extends the smaller
/// frontier (the start's when both are equal) and looks at connections in order of construction.
/// Two connections apart, the way therefore leads through the core that has the destination's earliest
/// incoming connection; special cores are as good on the way as any other.
class Routing {
 public:
  Routing(int core_count, const std::vector<Connection>& connections);

  /// Links from one core to another, in order; empty when they are the same or there is no way.
  std::vector<int> route(int from, int to) const;

 private:
  struct Neighbour {
    int core;
    int link;
  };
  std::vector<std::vector<Neighbour>> successors_, predecessors_;
};

}  // namespace zz::core
