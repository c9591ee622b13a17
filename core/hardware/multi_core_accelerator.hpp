#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/accelerator.hpp"

namespace zz::core {

/// A channel between cores. Several connections may use the same one: a bus, or a port of the off-chip
/// memory or of the simd core. One that no connection uses, and that joins a core with several, is a port
/// of that core: each route that begins or ends there, in the direction of the port, passes it.
struct Link {
  int sender = -1;    ///< core id; -1: several
  int receiver = -1;  ///< core id; -1: several
  /// Bits per cycle; infinity: transfers take no time and cost nothing.
  double bandwidth = std::numeric_limits<double>::infinity();
  double unit_energy = 0;      ///< pJ per cycle of a transfer
  bool bidirectional = false;  ///< one object for both directions, to the sender and from it

  bool operator==(const Link&) const = default;
};

/// A directed edge of the graph of cores.
struct Connection {
  int from = 0, to = 0;  ///< core ids
  int link = 0;          ///< index into MultiCoreAccelerator::links

  bool operator==(const Connection&) const = default;
};

/// A memory in which an operand has its home in a core: no memory above it holds the operand. Only these
/// take part in scheduling.
struct TopMemory {
  std::string name;
  std::vector<int> cores;             ///< ids of the cores that have it; more than one: it is shared
  std::vector<std::string> operands;  ///< memory operands it holds, in file order
  std::int64_t size = 0;              ///< bits
  std::int64_t read_bandwidth = 0;    ///< bits per cycle, of the widest port that reads
  std::int64_t write_bandwidth = 0;   ///< bits per cycle, of the widest port that writes
  double read_cost = 0;               ///< pJ per read of read_bandwidth bits
  double write_cost = 0;              ///< pJ per write of write_bandwidth bits
  /// Shares of the bandwidths that long transfers reach (Port::efficiency).
  double read_efficiency = 1, write_efficiency = 1;

  bool operator==(const TopMemory&) const = default;
};

/// Cores with memories of their own, joined by links, and usually an off-chip memory, which is a core
/// without units. A single-core accelerator is one with one core and no link.
///
/// Everything after `shared_memories` follows from what stands before it: derive() fills it.
struct MultiCoreAccelerator {
  std::string name;
  std::vector<std::shared_ptr<const Accelerator>> cores;  ///< the index is the core id
  std::optional<int> pooling_core, simd_core, offchip_core;
  std::vector<Link> links;
  std::vector<Connection> connections;  ///< in order of construction, which decides between routes
  /// Lists of ids of cores; the top memories of one name that these cores have are one memory. Lists that
  /// have a core in common count as one list.
  std::vector<std::vector<int>> shared_memories;

  std::vector<TopMemory> top_memories;  ///< by lowest owner, then file order
  /// [core][index into memory_operand_names()] -> top_memories, or -1
  std::vector<std::vector<int>> top_of;
  std::vector<std::vector<int>> cores_tops;  ///< [core] -> its top memories in file order
  /// [from * cores + to] -> links, in order; empty from a core to itself and between cores that share a
  /// memory and have no other way.
  std::vector<std::vector<int>> routes;

  int core_count() const { return static_cast<int>(cores.size()); }
  const std::vector<int>& route(int from, int to) const { return routes[from * cores.size() + to]; }
  /// Top memory of the core for a memory operand ("I1", "I2", "O"), or -1.
  int top(int core, const std::string& memory_operand) const;

  bool share_memory(int core, int other) const;
  /// All cores in the order in which the connections name them first, then those without any.
  std::vector<int> cores_by_connection() const;

  /// Fills the derived tables. Throws InputError with all problems: ids out of range, numbers that make no
  /// sense, shared memories that differ between cores, and cores that cannot reach each other.
  void derive();
};

/// One core and nothing else.
MultiCoreAccelerator single_core(std::shared_ptr<const Accelerator> core);

}  // namespace zz::core
