#include "core/cost/port_load.hpp"

#include <algorithm>
#include <array>

#include "core/cost/latency.hpp"

namespace zz::core {
namespace {

constexpr std::size_t max_activities = 48;

/// An activity among shorter ones: cycles marked in each of its periods by itself and all shorter ones.
struct Nested {
  std::int64_t period, allowed, marked;
};

/// Marked cycles among the first `cycles`, by the activities 0..last (shortest period first).
std::int64_t marked_until(const std::array<Nested, max_activities>& nested, int last, std::int64_t cycles) {
  if (last < 0) return 0;
  const Nested& outer = nested[last];
  const std::int64_t whole = cycles / outer.period * outer.marked;
  const std::int64_t rest = cycles % outer.period;
  if (rest <= outer.allowed) return whole + rest;
  return whole + outer.allowed + marked_until(nested, last - 1, rest) -
         marked_until(nested, last - 1, outer.allowed);
}

/// The longest that all periods of one activity are together.
std::int64_t longest_periods(std::span<const PortActivity> activities) {
  std::int64_t cycles = 0;
  for (const PortActivity& activity : activities)
    cycles = std::max(cycles, activity.period * activity.count);
  return cycles;
}

}  // namespace

std::int64_t window_union(std::span<const PortActivity> activities, std::int64_t enough) {
  for (const PortActivity& activity : activities) {
    if (activity.allowed != activity.period) continue;
    const std::int64_t cycles = activity.period * activity.count;
    return cycles >= enough ? cycles : longest_periods(activities);
  }
  std::array<Nested, max_activities> nested;
  const std::size_t count = std::min(activities.size(), max_activities);
  const PortActivity* longest = &activities.front();
  for (std::size_t i = 0; i < count; ++i) {
    nested[i] = {activities[i].period, std::min(activities[i].allowed, activities[i].period), 0};
    if (activities[i].period > longest->period) longest = &activities[i];
  }
  // Insertion sort: a handful of entries, in a place that must not allocate.
  for (std::size_t i = 1; i < count; ++i) {
    const Nested moving = nested[i];
    std::size_t slot = i;
    for (; slot > 0 && nested[slot - 1].period > moving.period; --slot) nested[slot] = nested[slot - 1];
    nested[slot] = moving;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int shorter = static_cast<int>(i) - 1;
    nested[i].marked = nested[i].allowed + marked_until(nested, shorter, nested[i].period) -
                       marked_until(nested, shorter, nested[i].allowed);
  }
  return marked_until(nested, static_cast<int>(count) - 1, longest->period) * longest->count;
}

namespace {

/// The period of a level without the loops that leave its data unused.
std::int64_t window(const CostTables& tables, const CompactMapping& mapping, const ArrayPace& pace,
                    const Boundaries::Boundary& at, std::int64_t unused) {
  std::int64_t period = 1;
  for (int loop = mapping.loops_below(at.operand, at.level); loop-- > 0;) period *= mapping.size[loop];
  if (tables.array.any()) return pace.within(period, period / unused);
  return scaled_cycles(period / unused, tables.cycles_per_operation);
}

}  // namespace

Windows allowed_windows(const CostTables& tables, const Boundaries& boundaries,
                        const CompactMapping& mapping, const ArrayPace& pace,
                        std::span<const BoundaryCost* const> costs, std::uint64_t second_buffers) {
  Windows allowed;
  int boundary = 0;
  for (const Boundaries::Boundary& at : boundaries.all()) {
    const int here = boundary++;
    if (at.top) continue;
    allowed[here] = pace.period(costs[here]->period);
    if (at.level == 0 || (second_buffers >> here & 1) != 0) continue;
    const std::int64_t iterations =
        outer_iterations(tables, mapping, at.operand, at.level, Relevancy::irrelevant);
    if (iterations > 1) allowed[here] = window(tables, mapping, pace, at, iterations);
  }
  return allowed;
}

bool is_idle(const Boundaries::PortUse& use, std::span<const BoundaryCost* const> costs) {
  return use.partial_sums_back && !costs[use.boundary]->partial_sum;
}

PortLoad load_of(const Boundaries::Port& port, const ArrayPace& pace,
                 std::span<const BoundaryCost* const> costs, const Windows& allowed) {
  PortLoad load;
  for (const Boundaries::PortUse& use : port.uses) {
    if (is_idle(use, costs)) continue;
    const BoundaryCost& cost = *costs[use.boundary];
    load.add({cost.cycles[use.direction], allowed[use.boundary], pace.period(cost.period), cost.count},
             cost.busy[use.direction]);
  }
  return load;
}

double repeated_cycles(const Boundaries::Port& port, std::span<const BoundaryCost* const> costs) {
  double cycles = 0;
  for (const Boundaries::PortUse& use : port.uses) {
    if (is_idle(use, costs)) continue;
    const double all = costs[use.boundary]->busy[use.direction];
    // None of the sums that return is the first.
    cycles += use.partial_sums_back ? all : all - all / static_cast<double>(costs[use.boundary]->count);
  }
  return cycles;
}

namespace {

/// By port that serves something, all that goes through it under the mapping.
std::vector<PortLoad> loads_of(const CostModel& model, const CompactMapping& mapping) {
  const CostTables& tables = model.tables();
  const Boundaries& boundaries = model.boundaries();
  std::vector<BoundaryCost> costs;
  for (const Boundaries::Boundary& at : boundaries.all())
    costs.push_back(cost_of(tables, model.options(), mapping, at.operand, at.level));
  std::vector<const BoundaryCost*> all;
  for (const BoundaryCost& cost : costs) all.push_back(&cost);
  const ArrayPace pace = pace_of(tables, mapping);
  const Windows allowed =
      allowed_windows(tables, boundaries, mapping, pace, all,
                      second_buffers(tables, model.options().rules, boundaries, mapping, all));
  std::vector<PortLoad> loads;
  for (const Boundaries::Port& port : boundaries.ports())
    loads.push_back(load_of(port, pace, all, allowed));
  return loads;
}

}  // namespace

std::vector<PortStall> port_stalls(const CostModel& model, const Accelerator& accelerator,
                                   const CompactMapping& mapping) {
  const std::vector<PortLoad> loads = loads_of(model, mapping);
  std::vector<PortStall> stalls;
  auto port = model.boundaries().ports().begin();
  auto load = loads.begin();
  for (const PortTable& table : model.tables().ports) {
    const Memory& at = accelerator.memories[table.memory];
    // Ports over which nothing passes, above the topmost memory, are in the tables alone.
    const bool used = port != model.boundaries().ports().end() && port->memory == table.memory &&
                      port->port == table.port;
    stalls.push_back({at.name, at.ports[table.port].name, used ? load->stall() : 0});
    if (used) ++port, ++load;
  }
  return stalls;
}

std::vector<double> busy_cycles(const CostModel& model, const CompactMapping& mapping) {
  std::vector<double> busy;
  for (const PortLoad& load : loads_of(model, mapping)) busy.push_back(load.busy());
  return busy;
}

}  // namespace zz::core
