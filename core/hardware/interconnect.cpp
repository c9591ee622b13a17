#include "core/hardware/interconnect.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/top_memories.hpp"

namespace zz::core {
namespace {

constexpr LinkFigures free_of_charge = {std::numeric_limits<double>::infinity(), 0};
constexpr int several = -1;

/// Stand for the ports of the memories of a core.
struct PortLinks {
  Link into, out_of;  ///< equal: one link for both directions
};

PortLinks port_links(int core, LinkFigures into, LinkFigures out_of, bool one_port) {
  if (one_port) {
    const double narrower = std::min(into.bandwidth, out_of.bandwidth);
    const Link both = {core, several, narrower, into.unit_energy, true};
    return {both, both};
  }
  return {{several, core, into.bandwidth, into.unit_energy},
          {core, several, out_of.bandwidth, out_of.unit_energy}};
}

/// The ports of the lowest memory of the off-chip core that holds O; nothing when none does.
/// REQUIRES: there is an off-chip core.
std::optional<PortLinks> offchip_links(const MultiCoreAccelerator& accelerator, double unit_energy) {
  const std::vector<Memory>& memories = accelerator.cores[*accelerator.offchip_core]->memories;
  const auto memory = std::find_if(memories.begin(), memories.end(),
                                   [](const Memory& candidate) { return candidate.holds("O"); });
  if (memory == memories.end()) return std::nullopt;
  // A port that does not reach its width takes longer for the same words.
  const double into = write_rate(*memory), out_of = read_rate(*memory);
  const double into_energy = unit_energy * (into / static_cast<double>(write_bandwidth(*memory)));
  const double out_of_energy = unit_energy * (out_of / static_cast<double>(read_bandwidth(*memory)));
  return port_links(*accelerator.offchip_core, {into, into_energy}, {out_of, out_of_energy},
                    memory->ports.size() == 1);
}

/// Bits per cycle that the links of the chosen connections carry together.
template <class Chosen>
double carried_by(const MultiCoreAccelerator& accelerator, Chosen chosen) {
  std::set<int> links;
  for (const Connection& connection : accelerator.connections)
    if (chosen(connection)) links.insert(connection.link);
  double bandwidth = 0;
  for (const int link : links) bandwidth += accelerator.links[link].bandwidth;
  return bandwidth;
}

/// REQUIRES: there is a simd core.
PortLinks simd_links(const MultiCoreAccelerator& accelerator, const SimdLinkFigures& figures) {
  const Accelerator& core = *accelerator.cores[*accelerator.simd_core];
  LinkFigures into = free_of_charge, out_of = free_of_charge;
  bool one_port = false;
  for (const int index : top_memory_indices(core)) {
    const Memory& memory = core.memories[index];
    into.bandwidth = std::min(into.bandwidth, write_rate(memory));
    out_of.bandwidth = std::min(out_of.bandwidth, read_rate(memory));
    one_port = one_port || memory.ports.size() == 1;
  }
  if (figures.bandwidth) into.bandwidth = out_of.bandwidth = *figures.bandwidth;
  into.unit_energy = out_of.unit_energy = figures.unit_energy.value_or(0);
  return port_links(*accelerator.simd_core, into, out_of, one_port);
}

class Builder {
 public:
  explicit Builder(MultiCoreAccelerator& accelerator)
      : accelerator_(accelerator), group_(sharing_groups(accelerator)) {
    accelerator_.links.clear();
    accelerator_.connections.clear();
    for (int core = 0; core < accelerator_.core_count(); ++core) {
      if (core != accelerator_.pooling_core && core != accelerator_.simd_core &&
          core != accelerator_.offchip_core)
        regular_.push_back(core);
    }
  }

  const std::vector<int>& regular() const { return regular_; }

  int add_link(const Link& link) {
    accelerator_.links.push_back(link);
    return static_cast<int>(accelerator_.links.size()) - 1;
  }
  int add_link(int sender, int receiver, LinkFigures figures) {
    return add_link({sender, receiver, figures.bandwidth, figures.unit_energy});
  }

  /// Links in numbers; `into`: into the core at the far end of a connection.
  struct PortNumbers {
    int into = 0, out_of = 0;
  };
  PortNumbers add_links(const PortLinks& links) {
    const int into = add_link(links.into);
    return {into, links.into == links.out_of ? into : add_link(links.out_of)};
  }

  /// A connection by a link that others use, too. It takes the place of one that is there.
  void connect(int from, int to, int link) {
    if (share_memory(from, to)) return;
    const auto [place, is_first] = place_of_.try_emplace({from, to}, accelerator_.connections.size());
    if (is_first)
      accelerator_.connections.push_back({from, to, link});
    else
      accelerator_.connections[place->second].link = link;
  }
  /// A connection by a link of its own.
  void connect(int from, int to, LinkFigures figures) {
    if (!share_memory(from, to)) connect(from, to, add_link(from, to, figures));
  }
  void connect_both_ways(int core, int other, LinkFigures figures) {
    connect(core, other, figures);
    connect(other, core, figures);
  }
  void connect_both_ways(int core, int other, int link) {
    connect_both_ways(core, other, PortNumbers{link, link});
  }
  void connect_both_ways(int core, int other, PortNumbers links) {
    connect(core, other, links.into);
    connect(other, core, links.out_of);
  }

  bool are_joined(int core, int other) const { return place_of_.contains({core, other}); }

  void join_row(const std::vector<int>& cores, LinkFigures figures) {
    for (std::size_t i = 1; i < cores.size(); ++i) connect(cores[i - 1], cores[i], figures);
    for (std::size_t i = cores.size(); i-- > 1;) connect(cores[i], cores[i - 1], figures);
  }

  void join_pooling(LinkFigures figures) {
    if (!accelerator_.pooling_core) return;
    for (const int core : regular_) connect_both_ways(core, *accelerator_.pooling_core, figures);
  }

  /// `link`: the figures of links of their own, or the numbers of those that all use.
  template <class Link>
  void join_simd(Link link) {
    if (!accelerator_.simd_core) return;
    for (const int core : regular_) connect_both_ways(core, *accelerator_.simd_core, link);
    if (accelerator_.pooling_core)
      connect_both_ways(*accelerator_.pooling_core, *accelerator_.simd_core, link);
  }

  void join_offchip(double unit_energy) {
    if (!accelerator_.offchip_core) return;
    std::vector<int> cores = regular_;
    if (accelerator_.pooling_core) cores.push_back(*accelerator_.pooling_core);
    if (accelerator_.simd_core) cores.push_back(*accelerator_.simd_core);
    join_offchip(cores, unit_energy);
  }

  void join_offchip(const std::vector<int>& cores, double unit_energy) {
    const int offchip = *accelerator_.offchip_core;
    const std::optional<PortLinks> ports = offchip_links(accelerator_, unit_energy);
    if (!ports)
      throw InputError("no memory of the off-chip core '" + accelerator_.cores[offchip]->name +
                       "' holds the operand O");
    const PortNumbers links = add_links(*ports);
    for (const int core : cores) {
      accelerator_.connections.push_back({core, offchip, links.into});
      accelerator_.connections.push_back({offchip, core, links.out_of});
    }
  }

  /// Ports of the off-chip core that can be narrower than what its connections carry together.
  /// REQUIRES: finish() was called, which takes away links that no connection uses.
  void add_offchip_ports() {
    const int offchip = *accelerator_.offchip_core;
    const std::optional<PortLinks> ports = offchip_links(accelerator_, 0);
    if (!ports) return;
    const auto enters = [&](const Connection& connection) { return connection.to == offchip; };
    const auto leaves = [&](const Connection& connection) { return connection.from == offchip; };
    const auto either = [&](const Connection& connection) {
      return enters(connection) || leaves(connection);
    };
    const bool one_port = ports->into == ports->out_of;
    const double into = one_port ? carried_by(accelerator_, either) : carried_by(accelerator_, enters);
    if (into > ports->into.bandwidth) add_link(ports->into);
    if (!one_port && carried_by(accelerator_, leaves) > ports->out_of.bandwidth) add_link(ports->out_of);
  }

  /// Numbers the links anew, as interconnect.hpp describes. Links that nothing uses go away.
  void finish() {
    std::vector<int> number(accelerator_.links.size(), -1);
    std::vector<Link> links;
    for (const int core : accelerator_.cores_by_connection()) {
      for (const Connection& connection : accelerator_.connections) {
        if (connection.from != core || number[connection.link] >= 0) continue;
        number[connection.link] = static_cast<int>(links.size());
        links.push_back(accelerator_.links[connection.link]);
      }
    }
    accelerator_.links = std::move(links);
    for (Connection& connection : accelerator_.connections) connection.link = number[connection.link];
  }

 private:
  bool share_memory(int core, int other) const {
    return group_[core] == group_[other] &&
           have_common_top_memory(*accelerator_.cores[core], *accelerator_.cores[other]);
  }

  MultiCoreAccelerator& accelerator_;
  std::vector<int> group_;
  std::vector<int> regular_;
  std::map<std::pair<int, int>, std::size_t> place_of_;  // in the connections, of those between two cores
};

/// A core that one of the two searches for a route has reached.
struct Step {
  int core = -1;  ///< the next core towards the end that the search started from
  int link = -1;
  bool seen = false;
};

}  // namespace

void join_mesh(MultiCoreAccelerator& accelerator, int rows, int columns, LinkFigures figures,
               const SimdLinkFigures& simd, const Rules& rules) {
  Builder builder(accelerator);
  const auto at = [&](int row, int column) { return builder.regular()[column * rows + row]; };
  for (int row = 0; row < rows; ++row) {
    std::vector<int> cores;
    for (int column = 0; column < columns; ++column) cores.push_back(at(row, column));
    builder.join_row(cores, figures);
  }
  for (int column = 0; column < columns; ++column) {
    std::vector<int> cores;
    for (int row = 0; row < rows; ++row) cores.push_back(at(row, column));
    builder.join_row(cores, figures);
  }
  builder.join_pooling(figures);
  if (rules.simd_transfers_free && !simd.bandwidth && !simd.unit_energy) {
    builder.join_simd(free_of_charge);
  } else if (accelerator.simd_core) {
    builder.join_simd(builder.add_links(simd_links(accelerator, simd)));
  }
  builder.join_offchip(figures.unit_energy);
  builder.finish();
}

std::optional<MultiCoreAccelerator> with_free_simd_links(const MultiCoreAccelerator& accelerator) {
  if (!accelerator.simd_core) return std::nullopt;
  const PortLinks links = simd_links(accelerator, {});
  MultiCoreAccelerator changed = accelerator;
  for (Link& link : changed.links) {
    if (link != links.into && link != links.out_of) continue;
    link.bandwidth = free_of_charge.bandwidth;
    link.unit_energy = free_of_charge.unit_energy;
  }
  if (changed.links == accelerator.links) return std::nullopt;
  return changed;
}

void join_by_bus(MultiCoreAccelerator& accelerator, LinkFigures figures) {
  Builder builder(accelerator);
  const int bus = builder.add_link(several, several, figures);
  const std::vector<int>& cores = builder.regular();
  for (std::size_t i = 0; i < cores.size(); ++i) {
    for (std::size_t j = i + 1; j < cores.size(); ++j) builder.connect_both_ways(cores[i], cores[j], bus);
  }
  builder.join_pooling(figures);
  builder.join_simd(bus);
  builder.join_offchip(figures.unit_energy);
  builder.finish();
}

std::vector<RejoinedPair> join_groups(MultiCoreAccelerator& accelerator,
                                      const std::vector<JoinedCores>& groups, double offchip_unit_energy,
                                      const Rules& rules) {
  Builder builder(accelerator);
  std::vector<RejoinedPair> rejoined;
  bool offchip_is_joined = false;
  for (std::size_t number = 0; number < groups.size(); ++number) {
    const JoinedCores& group = groups[number];
    for (const int core : group.cores) offchip_is_joined |= core == accelerator.offchip_core;
    const bool is_bus = group.is_bus || group.cores.size() > 2;
    const int bus = is_bus ? builder.add_link(several, several, group.figures) : 0;
    for (std::size_t i = 0; i < group.cores.size(); ++i) {
      for (std::size_t j = i + 1; j < group.cores.size(); ++j) {
        const int core = group.cores[i], other = group.cores[j];
        if (builder.are_joined(core, other)) rejoined.push_back({core, other, number});
        if (is_bus) {
          builder.connect_both_ways(core, other, bus);
        } else {
          builder.connect_both_ways(core, other, group.figures);
        }
      }
    }
  }
  if (accelerator.offchip_core && !offchip_is_joined) {
    std::vector<int> cores;
    for (int core = 0; core < accelerator.core_count(); ++core)
      if (core != *accelerator.offchip_core) cores.push_back(core);
    builder.join_offchip(cores, offchip_unit_energy);
  }
  builder.finish();
  if (offchip_is_joined && !rules.offchip_ports_free) builder.add_offchip_ports();
  return rejoined;
}

std::optional<MultiCoreAccelerator> with_free_offchip_ports(const MultiCoreAccelerator& accelerator) {
  if (!accelerator.offchip_core) return std::nullopt;
  const std::optional<PortLinks> ports = offchip_links(accelerator, 0);
  if (!ports) return std::nullopt;
  MultiCoreAccelerator changed = accelerator;
  for (std::size_t link = 0; link < changed.links.size(); ++link) {
    const auto uses = [&](const Connection& connection) {
      return connection.link == static_cast<int>(link);
    };
    Link& port = changed.links[link];
    if ((port == ports->into || port == ports->out_of) &&
        std::none_of(changed.connections.begin(), changed.connections.end(), uses))
      port.bandwidth = free_of_charge.bandwidth;
  }
  if (changed.links == accelerator.links) return std::nullopt;
  return changed;
}

Routing::Routing(int core_count, const std::vector<Connection>& connections)
    : successors_(core_count), predecessors_(core_count) {
  for (const Connection& connection : connections) {
    successors_[connection.from].push_back({connection.to, connection.link});
    predecessors_[connection.to].push_back({connection.from, connection.link});
  }
}

std::vector<int> Routing::route(int from, int to) const {
  if (from == to) return {};
  std::vector<Step> backward(successors_.size()), forward(successors_.size());
  backward[from].seen = forward[to].seen = true;
  std::vector<int> from_start = {from}, from_end = {to};
  int meeting = -1;

  // Extends one of the two searches by a level, until it meets the other one.
  const auto extend = [&meeting](std::vector<int>& frontier, std::vector<Step>& own,
                                 const std::vector<Step>& other,
                                 const std::vector<std::vector<Neighbour>>& neighbours) {
    const std::vector<int> level = std::move(frontier);
    frontier.clear();
    for (const int core : level) {
      for (const Neighbour& next : neighbours[core]) {
        if (!own[next.core].seen) {
          own[next.core] = {core, next.link, true};
          frontier.push_back(next.core);
        }
        if (other[next.core].seen) {
          meeting = next.core;
          return;
        }
      }
    }
  };
  while (meeting < 0 && !from_start.empty() && !from_end.empty()) {
    if (from_start.size() <= from_end.size()) {
      extend(from_start, backward, forward, successors_);
    } else {
      extend(from_end, forward, backward, predecessors_);
    }
  }
  if (meeting < 0) return {};

  std::vector<int> links;
  for (int core = meeting; core != from; core = backward[core].core) links.push_back(backward[core].link);
  std::reverse(links.begin(), links.end());
  for (int core = meeting; core != to; core = forward[core].core) links.push_back(forward[core].link);
  return links;
}

}  // namespace zz::core
