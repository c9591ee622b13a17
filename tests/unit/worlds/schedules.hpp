#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/graph/computation_node_graph.hpp"
#include "core/multicore/schedule/schedule.hpp"
#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "core/workload/layer.hpp"

/// Small problems and schedules on several cores.
namespace zz::test {

/// A small problem written down piece by piece. Layers have operands O, W and I (0, 1, 2), held in the
/// memory operands O, I2 and I1.
struct ProblemSketch {
  static constexpr int o = 0, w = 1, i = 2;

  std::shared_ptr<core::MultiCoreAccelerator> accelerator = std::make_shared<core::MultiCoreAccelerator>();
  std::shared_ptr<core::ComputationNodeGraph> graph = std::make_shared<core::ComputationNodeGraph>();
  std::shared_ptr<core::CoreCosts> costs = std::make_shared<core::CoreCosts>();
  core::ScheduleOptions options;

  /// Cores in a row, each with a memory for I1 and O and one for I2, and an off-chip memory; links of 64
  /// bits per cycle between neighbours, and one to the off-chip memory for all.
  ProblemSketch(int cores, std::int64_t memory_bits, double link_energy = 0);

  /// Adds a layer whose constants are named in the order of its sources; its nodes follow.
  void layer(std::vector<int> constants);
  int tensor(int operand, std::int64_t bits, std::int64_t priority);
  /// Adds a node of the latest layer; -1 for a tensor that comes from another layer.
  int node(std::array<int, 3> tensors, int group = 0, bool final_output = true);
  void edge(int from, int to, int operand, std::int64_t bits) {
    graph->dependencies.push_back({from, to, operand, bits});
  }
  /// The cost of the latest layer.
  core::CoreCost& cost(int core, double runtime, double onchip = 0, double offchip = 0);

  std::shared_ptr<const core::ScheduleProblem> problem(bool as_stream);
  /// With the only allocation that there is.
  core::Schedule schedule(bool as_stream);
};

/// Nodes on cores 0 and 1 end at cycle 10; core 2, the simd core of the mesh, adds up their outputs of 160
/// bits each. The ports of all cores write 16 and read 32 bits a cycle.
ProblemSketch sum_on_simd_core();

/// Two to four layers of a few nodes on two or three cores. Layers read one or two of those before them,
/// whole or piece by piece, with weights that all nodes or those of a group share, and sometimes stream.
ProblemSketch random_problem(core::RandomNumbers& random);

/// All allocations, dispatch rules without an order that is searched, and with gaps filled or not.
void for_each_choice(const core::ScheduleProblem& problem,
                     const std::function<void(const core::ScheduleChoice&)>& take);

/// Start and end of each node, by node.
std::vector<std::pair<double, double>> times_of(const core::Schedule& schedule);

/// A valid schedule of two nodes: (0, 0) on core 0 hands its output to (1, 0) on core 1; core 2 is
/// off-chip.
///
///     cycle      0    5   9  12       29       39          69     75
///     core 0                 [   (0,0)  ]                              9 to 29
///     core 1                                    [   (1,0)   ]
///     link 0                            [O0 0-1]
///     link 1     [ W0][I0][W1]                              [O1]
///
/// Everything may be changed before it is checked.
struct TinySchedule {
  std::shared_ptr<core::MultiCoreAccelerator> accelerator;
  std::shared_ptr<core::ComputationNodeGraph> graph;
  std::shared_ptr<core::CoreCosts> costs;
  core::Schedule schedule;

  // Tensors, transfers and memories by name.
  static constexpr int o0 = 0, w0 = 1, i0 = 2, o1 = 3, w1 = 4;
  static constexpr int send_w0 = 0, send_i0 = 1, send_w1 = 2, send_o0 = 3, send_o1 = 4;
  static constexpr int sram0 = 0, sram1 = 1, dram = 2;

  TinySchedule();
  /// Brings energies, terms and latency in line with the lists.
  void add_up();
  core::Transfer& send(int tensor, int sender, int receiver, std::vector<int> links, double start,
                       double end, int nodes_before, core::EnergyTerm purpose);
  core::Removal& remove(core::RemovalCause cause, int tensor, int core, double time, int nodes_before);
};

// Two layers of one node each on two cores and an off-chip memory, every list with something in it. The
// figures are made up.
std::shared_ptr<const core::MultiCoreAccelerator> small_multi_core();
std::shared_ptr<const core::ComputationNodeGraph> small_graph();
/// The first layer on core 0, the second on either, at 2 pJ of arithmetic a node.
std::shared_ptr<const core::CoreCosts> small_costs();
core::Schedule small_schedule();

// A network of two products on two equal cores and an off-chip memory, for tests of costs.
/// Registers of 8 bits for W (I2) and one memory for everything.
core::Accelerator small_core(std::int64_t memory_bits);
core::MultiCoreAccelerator two_small_cores(std::int64_t memory_bits);
/// O[d][k] = W[k][c] * I[d][c]; O of 16 bits, 8 when finished, W and I of 8.
core::Layer product(std::int64_t id, std::int64_t rows);
/// Two products of the same shape, cut into `nodes` nodes each. Node n of the second one reads what nodes 0
/// to n of the first one write.
core::ComputationNodeGraph small_graph_of_products(int nodes);

}  // namespace zz::test
