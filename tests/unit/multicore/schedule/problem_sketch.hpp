#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"
#include "core/multicore/schedule/scheduler.hpp"

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
  /// Of the latest layer.
  core::CoreCost& cost(int core, double runtime, double onchip = 0, double offchip = 0);

  std::shared_ptr<const core::ScheduleProblem> problem(bool as_stream);
  /// With the only allocation that there is.
  core::Schedule schedule(bool as_stream);
};

/// Start and end of each node, by node.
std::vector<std::pair<double, double>> times_of(const core::Schedule& schedule);

}  // namespace zz::test
