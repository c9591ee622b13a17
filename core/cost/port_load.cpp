#include "core/cost/port_load.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

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

Windows::Windows(const CostTables& tables, const Boundaries& boundaries, const CompactMapping& mapping,
                 const ArrayPace& pace, std::span<const BoundaryCost* const> costs,
                 std::uint64_t second_buffers)
    : tables_(tables),
      boundaries_(boundaries),
      mapping_(mapping),
      pace_(pace),
      second_buffers_(second_buffers),
      ragged_(is_ragged(tables, mapping)) {
  int boundary = 0;
  for (const Boundaries::Boundary& at : boundaries.all()) {
    const int here = boundary++;
    if (at.top) continue;
    // Where portions are all alike, each is a last tile of dimensions whose tiles differ further below.
    const std::vector<PortionSize>& sizes = costs[here]->sizes;
    first_[here] = of(here, sizes.empty() ? ~LastTiles{0} : sizes.front().last, costs[here]->period);
  }
}

int Windows::used_loops(int boundary) const {
  const Boundaries::Boundary& at = boundaries_[boundary];
  if (at.level == 0 || (second_buffers_ >> boundary & 1) != 0) return -1;
  const int used = without_outer_loops(tables_, mapping_, at.operand, at.level, Relevancy::irrelevant);
  for (int loop = used; loop < mapping_.loops_below(at.operand, at.level); ++loop)
    if (mapping_.size[loop] > 1) return used;
  return -1;
}

std::int64_t Windows::of(int boundary, LastTiles last, std::int64_t period) const {
  const int used = used_loops(boundary);
  if (used < 0) return pace_.period(period);
  const std::int64_t steps = steps_below(used, last);
  if (!tables_.array.any()) return tables_.step.of(steps);
  const Boundaries::Boundary& at = boundaries_[boundary];
  return pace_.within(steps_below(mapping_.loops_below(at.operand, at.level), last), steps);
}

std::int64_t Windows::steps_below(int loops, LastTiles last) const {
  if (ragged_) return TilesBelow(tables_, mapping_, loops).steps(last);
  std::int64_t steps = 1;
  for (int loop = 0; loop < loops; ++loop) steps *= mapping_.size[loop];
  return steps;
}

namespace {

/// Marks the windows of one port along a nest of tiles that do not divide their loop. A *block* is one run
/// of the innermost loops of the nest; how long it is, and how its own blocks follow each other, is known
/// by the number of its loops and the dimensions that are in their last tiles.
class WindowWalk {
 public:
  struct Marker {
    int boundary, loops;  ///< inside of it
  };
  WindowWalk(const CostTables& tables, const CompactMapping& mapping, const ArrayPace& pace,
             const Windows& windows, std::vector<Marker> markers)
      : tables_(tables), mapping_(mapping), pace_(pace), windows_(windows), markers_(std::move(markers)) {
    for (int loops = 0; loops <= mapping.loops; ++loops) tiles_.emplace_back(tables, mapping, loops);
  }

  std::int64_t marked() { return whole(mapping_.loops, ~LastTiles{0}); }

 private:
  std::int64_t steps_period(int loops, LastTiles last) const {
    return tables_.period_of(tiles_[static_cast<std::size_t>(loops)].steps(last));
  }
  std::int64_t cycles(int loops, LastTiles last) const { return pace_.period(steps_period(loops, last)); }

  /// The first cycles of a block that a marker of its own marks.
  std::int64_t allowed(int loops, LastTiles last) const {
    std::int64_t most = 0;
    for (const Marker& marker : markers_)
      if (marker.loops == loops)
        most = std::max(most, windows_.of(marker.boundary, last, steps_period(loops, last)));
    return std::min(most, cycles(loops, last));
  }

  std::int64_t whole(int loops, LastTiles last) {
    const auto known = whole_.find({loops, last});
    if (known != whole_.end()) return known->second;
    const std::int64_t marked = until(loops, last, cycles(loops, last));
    whole_[{loops, last}] = marked;
    return marked;
  }

  /// Marked cycles among the first `end` of a block.
  std::int64_t until(int loops, LastTiles last, std::int64_t end) {
    const std::int64_t own = allowed(loops, last);
    if (end <= own) return end;
    return own + inside(loops, last, end) - inside(loops, last, own);
  }

  /// The same by the blocks in it alone. Where the array takes longer for the block than for these, they go
  /// on.
  std::int64_t inside(int loops, LastTiles last, std::int64_t end) {
    if (loops == 0) return 0;
    const int inner = loops - 1, dimension = mapping_.dimension[inner];
    const LastTiles bit = LastTiles{1} << dimension;
    const TilesBelow& tiles = tiles_[static_cast<std::size_t>(inner)];
    const std::int64_t rounds = tiles_[static_cast<std::size_t>(loops)].rounds(dimension, last);
    const std::int64_t blocks = (rounds + tiles.whole(dimension) - 1) / tiles.whole(dimension);
    // In a last tile the last block is a last tile, too; in a whole one all blocks are whole.
    const std::int64_t alike = (last & bit) != 0 ? blocks - 1 : blocks;
    const std::int64_t of_alike = cycles(inner, last & ~bit), of_last = cycles(inner, last);
    const std::int64_t together = alike * of_alike + (blocks - alike) * of_last;
    const auto among = [&](std::int64_t first) {
      const std::int64_t passed = std::min(alike, first / of_alike);
      std::int64_t marked = passed == 0 ? 0 : passed * whole(inner, last & ~bit);
      const std::int64_t rest = first - passed * of_alike;
      if (rest == 0) return marked;
      if (passed < alike) return marked + until(inner, last & ~bit, rest);
      return marked + (rest >= of_last ? whole(inner, last) : until(inner, last, rest));
    };
    const std::int64_t times = end / together, rest = end % together;
    return (times > 0 ? times * among(together) : 0) + (rest > 0 ? among(rest) : 0);
  }

  const CostTables& tables_;
  const CompactMapping& mapping_;
  const ArrayPace& pace_;
  const Windows& windows_;
  std::vector<Marker> markers_;
  std::vector<TilesBelow> tiles_;  ///< by loops of the block
  std::map<std::pair<int, LastTiles>, std::int64_t> whole_;
};

}  // namespace

std::int64_t Windows::together(std::span<const int> boundaries) const {
  std::vector<WindowWalk::Marker> markers;
  for (const int boundary : boundaries) {
    const Boundaries::Boundary& at = boundaries_[boundary];
    markers.push_back({boundary, mapping_.loops_below(at.operand, at.level)});
  }
  return WindowWalk(tables_, mapping_, pace_, *this, std::move(markers)).marked();
}

void PortLoad::add(std::span<const PortActivity> sizes, bool last_is_once, double busy) {
  PortActivity all = sizes.front();
  all.count = 0;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    all.count += sizes[size].count;
    const bool once = size == (last_is_once ? sizes.size() - 1 : 0);
    const std::int64_t repeats = sizes[size].count - (once ? 1 : 0);
    add_size(sizes[size], repeats);
    sizes_.push_back({size_, sizes[size], repeats});
  }
  add_transfer(all, busy);
}

std::int64_t PortLoad::longest_periods() const {
  std::int64_t longest = 0;
  for (std::size_t transfer = 0; transfer < size_; ++transfer) {
    std::int64_t periods = 0;
    for_each_size(transfer,
                  [&](const PortActivity& one, std::int64_t) { periods += one.period * one.count; });
    longest = std::max(longest, periods);
  }
  return longest;
}

bool is_idle(const Boundaries::PortUse& use, std::span<const BoundaryCost* const> costs) {
  return use.partial_sums_back && !costs[use.boundary]->partial_sum;
}

PortLoad load_of(const Boundaries::Port& port, const ArrayPace& pace,
                 std::span<const BoundaryCost* const> costs, const Windows& windows) {
  PortLoad load(pace.made());
  for (const Boundaries::PortUse& use : port.uses) {
    if (is_idle(use, costs)) continue;
    const BoundaryCost& cost = *costs[use.boundary];
    const double busy = cost.busy[use.direction];
    if (cost.sizes.empty()) {
      load.add({cost.cycles[use.direction], windows[use.boundary], pace.period(cost.period), cost.count,
                cost.passing},
               busy);
      continue;
    }
    std::vector<PortActivity> sizes;
    for (const PortionSize& size : cost.sizes)
      sizes.push_back({size.cycles[use.direction], windows.of(use.boundary, size.last, size.period),
                       pace.period(size.period), size.count, size.passing});
    load.add(sizes, is_upwards(static_cast<Direction>(use.direction)), busy);
  }
  if (load.is_given()) return load;
  bool open = false;
  std::vector<int> boundaries;
  for (const Boundaries::PortUse& use : port.uses) {
    if (is_idle(use, costs)) continue;
    open = open || windows.is_open(use.boundary);
    boundaries.push_back(use.boundary);
  }
  load.give(open ? load.longest_periods() : windows.together(boundaries));
  return load;
}

namespace {

/// Port cycles of the portion that moves before all others, or after them.
double once(const BoundaryCost& cost, int direction) {
  if (cost.sizes.empty()) return cost.busy[direction] / static_cast<double>(cost.count);
  const bool up = is_upwards(static_cast<Direction>(direction));
  return (up ? cost.sizes.back() : cost.sizes.front()).port_cycles[direction];
}

}  // namespace

double repeated_cycles(const Boundaries::Port& port, std::span<const BoundaryCost* const> costs) {
  double cycles = 0;
  for (const Boundaries::PortUse& use : port.uses) {
    if (is_idle(use, costs)) continue;
    const double all = costs[use.boundary]->busy[use.direction];
    // None of the sums that return is the first.
    cycles += use.partial_sums_back ? all : all - once(*costs[use.boundary], use.direction);
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
  const Windows windows(tables, boundaries, mapping, pace, all,
                        second_buffers(tables, model.options().rules, boundaries, mapping, all));
  std::vector<PortLoad> loads;
  for (const Boundaries::Port& port : boundaries.ports())
    loads.push_back(load_of(port, pace, all, windows));
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
