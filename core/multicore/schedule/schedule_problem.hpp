#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/compat/rules.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/multicore/schedule/schedule.hpp"

namespace zz::core {

struct ScheduleOptions {
  std::vector<std::string> prefetch;  ///< layer operands whose constants are loaded before the first node
  /// (layer id, sub id), first one first; empty: descending, the deepest layer first.
  std::vector<std::pair<std::int64_t, int>> order;
  Rules rules;
};

/// Layer and group whose nodes may run on several cores: one decision of an allocation.
struct Gene {
  int layer = 0;  ///< index into ComputationNodeGraph::layers
  int group = 0;
  std::vector<int> cores;  ///< candidates with a cost, in the order of the mapping
};

struct CoreRoute;

/// The routes between all cores of an accelerator: [from * cores + to].
using CoreRoutes = std::shared_ptr<const std::vector<CoreRoute>>;

/// Everything about scheduling a graph on an accelerator that no allocation changes, as arrays. Immutable;
/// shared by all threads.
class ScheduleProblem {
 public:
  /// Throws InputError when the accelerator lacks an off-chip memory or a route, when a layer has no core,
  /// or the order does not name each node once. `routes` are those of another problem with the accelerator;
  /// null: they are made. Dozens of cores have thousands of them.
  ScheduleProblem(std::shared_ptr<const MultiCoreAccelerator> accelerator,
                  std::shared_ptr<const ComputationNodeGraph> graph, std::shared_ptr<const CoreCosts> costs,
                  ScheduleOptions options, CoreRoutes routes = nullptr);
  ~ScheduleProblem();

  const std::vector<Gene>& genes() const;  ///< by layer id, then group
  const std::shared_ptr<const MultiCoreAccelerator>& accelerator() const;
  const std::shared_ptr<const ComputationNodeGraph>& graph() const;
  const std::shared_ptr<const CoreCosts>& costs() const;
  const ScheduleOptions& options() const;

  struct Tables;  ///< below
  const Tables& tables() const { return *tables_; }

 private:
  std::unique_ptr<const Tables> tables_;
};

/// Lists of different lengths, one after the other in one array: row i is [begin[i], begin[i + 1]).
template <class Entry>
struct CompressedRows {
  std::vector<int> begin{0};
  std::vector<Entry> entries;

  void reserve(std::size_t rows, std::size_t count) {
    begin.reserve(rows + 1);
    entries.reserve(count);
  }
  /// Ends the row that received the latest entries.
  void end_row() { begin.push_back(static_cast<int>(entries.size())); }
  std::span<const Entry> operator[](std::size_t row) const {
    return {entries.data() + begin[row], static_cast<std::size_t>(begin[row + 1] - begin[row])};
  }
};

/// One tensor that a node reads, under one of its operands.
struct NeededTensor {
  int tensor = 0;
  int operand = 0;         ///< of the node's layer
  int memory_operand = 0;  ///< index into the names of Tables::memory_operands
  int reader = 0;          ///< index into Tables::readers
};

/// The nodes of one group that read a tensor under one memory operand.
struct TensorReader {
  int group = 0;  ///< index into Tables::groups
  int memory_operand = 0;
  /// Reads to come. By Rules::repeated_transfers_free those of a constant are its base priority, for all
  /// readers.
  std::int64_t uses = 0;
};

/// Nodes that run on the same core.
struct NodeGroup {
  int gene = -1;  ///< that decides the core, or -1
  int core = -1;  ///< when no gene decides it
  int layer = 0;
};

/// The costs of a node on a core.
struct NodeCost {
  const CoreCost* cost = nullptr;  ///< null: the layer does not run there
  double runtime = 0;              ///< cycles; long enough for what is streamed
  double onchip_energy = 0, offchip_energy = 0;
  unsigned streamed = 0;                      ///< bit mask over the operands of the layer
  std::vector<int> streamed_memory_operands;  ///< in the order of the equation
  double read_demand = 0;                     ///< bits per cycle asked of links from the off-chip memory
  double write_demand = 0;                    ///< ... and to it

  bool streams(int operand) const { return streamed >> operand & 1u; }
};

/// The links from one core to another.
struct CoreRoute {
  std::vector<int> links;     ///< in order; a link may occur twice
  std::vector<int> distinct;  ///< each link once
  double narrowest = 0;       ///< bits per cycle of the slowest link
};

struct MemoryEntry {
  double size = 0;                                 ///< bits
  double read_bandwidth = 0, write_bandwidth = 0;  ///< bits per cycle
  double read_cost = 0, write_cost = 0;            ///< pJ per access
  int owner = 0;                                   ///< the first core that has it
};

/// A problem as arrays. Indices: cores, memories (MultiCoreAccelerator::top_memories), links, nodes and
/// tensors as in accelerator and graph.
struct ScheduleProblem::Tables {
  std::shared_ptr<const MultiCoreAccelerator> accelerator;
  std::shared_ptr<const ComputationNodeGraph> graph;
  std::shared_ptr<const CoreCosts> costs;
  ScheduleOptions options;
  std::vector<Gene> genes;

  int core_count = 0, memory_count = 0, node_count = 0, tensor_count = 0;
  int offchip_core = -1;
  std::vector<std::string> memory_operands;
  std::vector<std::vector<int>> layer_operands;  ///< [layer][operand] -> memory operand
  std::vector<MemoryEntry> memories;
  std::vector<int> tops;  ///< [core * memory_operands + operand] -> memory, or -1
  CoreRoutes routes;      ///< shared by problems with the accelerator

  std::vector<NodeGroup> groups;
  /// [row * cores + core]; nodes of a layer that have one shape share a row.
  std::vector<NodeCost> node_costs;
  std::vector<int> first_cost_row;  ///< by layer: that of shape 0; the other shapes follow

  std::vector<int> group_of;           ///< by node
  std::vector<int> layer_of;           ///< by node
  std::vector<int> cost_row_of;        ///< by node: row of node_costs
  std::vector<int> output_of;          ///< by node: tensor
  std::vector<int> rank_of;            ///< by node: priority; the smallest first
  std::vector<char> writes_result;     ///< by node: its output goes off-chip as soon as it is there
  std::vector<int> default_sequence;   ///< nodes as DispatchRule::rank takes them by rank_of
  CompressedRows<NeededTensor> needs;  ///< by node, in the order in which they are fetched
  CompressedRows<int> successors;      ///< by node
  /// By node: predecessors. Nodes in lockstep are taken together: the first one has those of all of them,
  /// and the others have -1.
  std::vector<int> predecessor_count;

  std::vector<double> tensor_bits;       ///< by tensor
  std::vector<int> tensor_operand;       ///< by tensor: memory operand of its own
  std::vector<char> is_output;           ///< by tensor
  std::vector<char> is_result;           ///< by tensor: it has to stay off-chip
  std::vector<char> is_shared;           ///< by tensor: a constant that all samples read
  CompressedRows<TensorReader> readers;  ///< by tensor
  CompressedRows<int> consumers;         ///< by tensor: nodes of other layers that read it
  std::vector<int> initial;              ///< tensors that are off-chip from the beginning

  /// The loop in lockstep of a layer (CutLoop); count 1: there is none. A layer's pieces are taken in
  /// turns, in which those that differ in this loop alone follow each other.
  struct Lockstep {
    int stride = 1, count = 1;  ///< of sub ids

    int turn(int piece) const {
      const int block = stride * count;
      return piece / block * block + piece % stride * count + piece / stride % count;
    }
    int piece(int turn) const {
      const int block = stride * count;
      return turn / block * block + turn % count * stride + turn % block / count;
    }
  };
  std::vector<Lockstep> lockstep;  ///< by layer
  /// The number of a node among those that differ from it in the loop in lockstep alone.
  int place_in_lockstep(int node) const {
    const Lockstep& of_layer = lockstep[layer_of[node]];
    return graph->nodes[node].sub_id / of_layer.stride % of_layer.count;
  }
  int first_in_lockstep(int node) const {
    const Lockstep& of_layer = lockstep[layer_of[node]];
    return of_layer.count == 1 ? node : node - place_in_lockstep(node) * of_layer.stride;
  }
  /// Calls take(member) with the node, which is the first of its lockstep group, and the others.
  template <class Take>
  void for_lockstep(int node, Take take) const {
    const Lockstep& of_layer = lockstep[layer_of[node]];
    for (int place = 0; place < of_layer.count; ++place) take(node + place * of_layer.stride);
  }

  struct Prefetch {
    int node = 0;
    NeededTensor what;
  };
  std::vector<Prefetch> prefetches;  ///< in the order in which they are made

  /// The core whose links carry what a layer has written on a core: that which has the memory, of several
  /// the first.
  int sender_of_output(int layer, int core) const {
    const int memory = top(core, layer_operands[layer][0]);
    return memory < 0 ? core : memories[memory].owner;
  }
  int top(int core, int memory_operand) const {
    return tops[static_cast<std::size_t>(core) * memory_operands.size() + memory_operand];
  }
  const CoreRoute& route(int from, int to) const {
    return (*routes)[static_cast<std::size_t>(from) * core_count + to];
  }
  const NodeCost& node_cost(int node, int core) const {
    return node_costs[static_cast<std::size_t>(cost_row_of[node]) * core_count + core];
  }
  const NodeCost& node_cost(int layer, int shape, int core) const {
    return node_costs[static_cast<std::size_t>(first_cost_row[layer] + shape) * core_count + core];
  }
};

}  // namespace zz::core
