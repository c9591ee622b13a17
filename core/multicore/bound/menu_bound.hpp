#pragma once
#include <string>

#include "core/hardware/multi_core_accelerator.hpp"
#include "core/multicore/cuts/cut_prices.hpp"
#include "core/search/methods/objective.hpp"
#include "core/workload/workload.hpp"

namespace zz::core {

/// A figure that no choice can be below, and what keeps it there.
struct LimitedFigure {
  double value = 0;
  std::string limit;  ///< a word or two: "link", "work of the cores", "memory", ...
  std::string why;    ///< a short text
};

/// Lower bounds; 0: nothing is known.
struct MenuBounds {
  LimitedFigure latency;  ///< cycles
  LimitedFigure energy;   ///< pJ
  LimitedFigure edp;      ///< pJ * cycles: of the product of energy and latency

  /// Latency and EDP without waits by pairs of cuts: the heat of walks begins at these.
  double latency_without_waits = 0, edp_without_waits = 0;

  const LimitedFigure& of(Objective objective) const;
  double without_waits(Objective objective) const;
};

/// Assumptions of the bounds of a steady state.
struct RepeatedBounds {
  bool overlap = false;         ///< a repeat begins before the one before has ended
  bool constants_stay = false;  ///< some may
};

/// Lower bounds over every partition of a network with cuts of the menu, every allocation and every order,
/// by the physical rules of schedules (docs/scheduling.md):
///
/// - multipliers: for multipliers of cores and links that add up to one, a schedule takes at least as long
///   as what each layer costs by them with its cheapest cut and core. The best ones are a linear program.
///   A layer needs its work on a core, and on links its constants and results once, or what it streams,
///   and inputs that lie off-chip because their producers always stream them.
/// - waiting: layers that are confined to some cores begin after the least work that any of their elements
///   depends on, and others follow.
/// - waits by pairs of cuts: all nodes of a layer run after what the first of them reads from has been
///   made, and before what reads from the last of them (detail/cut_waits.hpp).
/// - memory: until the first element of a layer can exist, links can have carried no more for it and what
///   follows than memories hold.
/// - energy: the cheapest cut of each layer, its constants, results and streams at the costs of memories
///   and links, and outputs that no choice leaves where they were made.
/// - EDP: for any multiplier of latency, energy + multiplier * latency has a bound of the first kind;
///   the least product that all these lines allow.
///
/// With several samples the nodes, inputs and results of all of them count, and constants once.
///
/// The latency of a schedule that is repeated (ScheduleChoice::period) is bounded by a bound of its
/// period: by multipliers alone, since repeats overlap. Where constants may stay from repeat to repeat,
/// links need as much less as the memories can keep of them, and so does energy.
///
/// Throws as split_into_nodes().
MenuBounds menu_bounds(const Workload& workload, const MultiCoreAccelerator& accelerator,
                       const PricedMenus& menu, int samples = 1, RepeatedBounds repeated = {});

}  // namespace zz::core
