#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/schedule/schedule.hpp"

namespace zz::core::check {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// True when `a` is later or larger than `b` by more than rounding.
bool above(double a, double b);

/// One stay of a tensor in a top memory.
struct Copy {
  int memory = 0;
  /// When its arrival was decided: twice the number of nodes scheduled before; odd: with a node, as its
  /// output; -1: there from the beginning.
  int decided = 0;
  double start = 0;        ///< the arrival begins: from here on it takes space
  double ready = 0;        ///< the arrival is complete
  double removed = never;  ///< a removal says so
  double used_until = 0;   ///< end of the last node or transfer that reads it
  const Removal* removal = nullptr;
  /// In the steady state: it is there for all repeats, as constants are that samples share: off-chip, and
  /// on the cores to which Schedule::fill brings them.
  bool for_all_repeats = false;
};

/// Data that a node needs while it runs.
struct Need {
  int tensor = 0;
  int operand = 0;        ///< of the node's layer
  bool streamed = false;  ///< read from the off-chip memory, not from the core's
};

/// Exchange of a node with others inside of its core.
struct InnerExchange {
  int memory = -1;             ///< memory of the core; -1: nothing, -2: several
  std::vector<int> exchanged;  ///< operands, rising
};

/// The lists of a schedule, sorted by node and tensor.
class Facts {
 public:
  explicit Facts(const Schedule& schedule);

  const Schedule& schedule;
  const MultiCoreAccelerator& accelerator;
  const ComputationNodeGraph& graph;
  int offchip = -1;  ///< core id, or -1
  /// In the steady state: enough for one of them to meet all others that are under way when it is; else 1.
  int repeats = 1;
  std::vector<int> placement_of;            ///< [node] -> Schedule::nodes
  std::vector<const CoreCost*> cost_of;     ///< [node], where it exchanges nothing
  std::vector<InnerExchange> exchanges_of;  ///< [node]
  std::vector<const CoreCost*> spent_by;    ///< [node]: its cost with its exchanges; null: there is none
  std::vector<double> produced_at;          ///< [tensor]: end of the last node that writes it
  std::vector<std::vector<Copy>> copies;    ///< [tensor], by memory, then in the order of arrivals
  std::vector<const Removal*> groundless;   ///< removals of what is not there

  const ScheduledNode& placement(int node) const { return schedule.nodes[placement_of[node]]; }
  std::vector<Need> needs(int node) const;
  bool streams(int node, int operand) const;
  /// The memory of a core for an operand of a layer, or -1.
  int memory_for(int core, int layer, int operand) const;
  /// The copy of `tensor` in one of `memories` that is complete at `start` and stays until `end`, which it
  /// is then known to be used until. nullptr when there is none, with the nearest one (or nullptr) in
  /// `nearest`. `decided`: when it was chosen, as Copy::decided.
  const Copy* use_copy(int tensor, const std::vector<int>& memories, double start, double end, int decided,
                       const Copy*& nearest);
  std::vector<int> memories_of(int core) const;

  /// When a repeat begins.
  double begin_of(int repeat) const { return repeat * schedule.period; }
  /// For messages about times; "" where nothing is repeated.
  std::string of_repeats() const;

  std::string node_name(int node) const;
  std::string tensor_name(int tensor) const;
  std::string memory_name(int memory) const;
  std::string core_name(int core) const;
  std::string link_name(int link) const;

 private:
  void collect_copies();
  void collect_exchanges();
  std::pair<Copy*, Copy*> copies_in(int tensor, int memory);
};

}  // namespace zz::core::check
