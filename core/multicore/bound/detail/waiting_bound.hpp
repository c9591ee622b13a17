#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/multicore/schedule/schedule_problem.hpp"

namespace zz::core {

/// No more than what schedules add up to, whatever the order in which they add it.
double without_rounding(double cycles);

/// Lower bounds of the latency of schedules by what waits for what. Some groups of nodes have their core,
/// others may still take any of their candidates.
///
/// - The *head* of a node: the cycles before it can start. Each predecessor has ended and its result has
///   come by the shortest way from one of its cores to one of the node's, directly or over other cores that
///   hand it on; constants have come from off-chip.
/// - The *tail* of a node: the cycles that must follow its end: what reads its result, or its way off-chip.
/// - One machine (J. Carlier: The one-machine sequencing problem, 1982): jobs with a head, work and a tail
///   take no less than the preemptive schedule that always goes on with the longest tail. Machines are each
///   core, each set of cores that some nodes are confined to (as one that is as fast as all), a group whose
///   core is open, and each link with what passes it at least once: constants, results, streams.
/// - Groups of a layer, each on one of its cores, take the time in which these end so many
///   (least_cycles.hpp): all of the layer, those that a node reads from, and those that read from it.
/// - The same over what comes before a node bounds its head, and over what follows its tail, in graphs of
///   at most `most_nodes_in_pairs` nodes.
///
/// Where Stream's rules are asked for, transfers take no time here.
class WaitingBound {
 public:
  // In docs/limits.md.
  static constexpr int most_nodes_in_pairs = 256;

  /// Refers to it.
  explicit WaitingBound(const ScheduleProblem::Tables& tables);

  /// Cycles, where genes have these cores; -1: any of theirs. Empty: all do.
  double of(const std::vector<int>& cores);
  /// The least of all allocations, as near as so many evaluations of partial ones come, or `enough` where
  /// it is no less: branch and bound over the genes with most work.
  double least(std::int64_t evaluations, double enough = std::numeric_limits<double>::infinity());

  bool is_small() const { return tables_.node_count <= most_nodes_in_pairs; }
  /// Steps of an evaluation, roughly.
  std::int64_t steps() const;

 private:
  struct Edge {
    int from = 0, to = 0;
    double bits = 0;  ///< that have to be where `to` runs; 0: it waits only
    int operand = -1;
    double lag = 0;  ///< cycles between end and start
  };
  struct Constant {
    double bits = 0;
    std::vector<std::pair<int, int>> readers;  ///< node and operand
    bool passes = false;                       ///< some reader does not stream it, whatever its core
    std::vector<int> links;                    ///< on all ways from off-chip
  };
  struct Job {
    double head = 0, work = 0, tail = 0;
  };
  using Cores = std::vector<int>;

  void list_edges();
  void list_constants();
  const Cores& cores_of(int node) const { return group_cores_[tables_.group_of[node]]; }
  bool streams(int node, int operand, int core) const {
    return tables_.node_cost(node, core).streams(operand);
  }
  bool surely_brought(int node, int operand) const;
  double way(int from, int to) const {
    return ways_[static_cast<std::size_t>(from) * static_cast<std::size_t>(tables_.core_count) +
                 static_cast<std::size_t>(to)];
  }
  double lag(const Edge& edge) const;
  double way_off_chip(int node) const;
  std::vector<int> common_links(const Cores& cores, bool inward) const;
  void place(const std::vector<int>& cores);
  template <class Other>
  double beside(int begin, int end, const std::vector<double>& wait, const Other& other) const;
  double span(const std::vector<int>& nodes) const;
  void find_heads();
  void find_tails();
  void tighten_heads();
  void tighten_tails();
  double finish();
  static double one_machine(std::vector<Job>& jobs);

  const ScheduleProblem::Tables& tables_;
  const bool moves_take_time_;
  const std::vector<double> ways_;         ///< cycles_of_moved_bit()
  std::vector<Edge> edges_;                ///< by node that waits
  std::vector<int> in_begin_, out_begin_;  ///< by node
  std::vector<int> out_;                   ///< edges by the node that is waited for
  std::vector<Constant> constants_;
  std::vector<std::vector<int>> constants_of_;  ///< by node
  std::vector<char> one_writer_;                ///< by tensor

  // The allocation at hand.
  std::vector<Cores> group_cores_;
  std::vector<Cores> sets_;                            ///< that some nodes are confined to
  std::vector<std::vector<int>> confined_;             ///< by node: sets
  std::vector<double> length_, head_, tail_, result_;  ///< by node
};

}  // namespace zz::core
