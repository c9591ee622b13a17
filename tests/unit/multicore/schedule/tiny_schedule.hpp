#pragma once
#include "core/multicore/schedule/schedule.hpp"

namespace zz::test {

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

}  // namespace zz::test
