#include "core/multicore/schedule/detail/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/interruption.hpp"

namespace zz::core {
namespace {

constexpr double rounding = 1e-6;  // cycles

bool exceeds(double amount, double capacity) { return amount > capacity * (1 + 1e-9); }

/// The period at which the capacity of one use is kept, or a longer one below which it is not.
class Fold {
 public:
  Fold(const RepeatedUse& use, double period) : use_(use), period_(period) {}

  double needed() {
    const std::vector<RepeatedUse::Stretch>& all = use_.stretches;
    if (all.empty()) return period_;
    const double begin = all.front().start;
    const auto under_way = static_cast<int>(std::ceil((all.back().end - begin) / period_ - rounding));
    if (under_way <= 1) return period_;
    next_.assign(under_way, 0);
    double needed = period_;
    for (double time = begin; time < begin + period_ - rounding;) time = step(time, begin, needed);
    return needed;
  }

 private:
  /// Looks at a time of the first repeat, and as much later in those before it; returns until when that
  /// stays so.
  double step(double time, double begin, double& needed) {
    double until = begin + period_, sum = 0;
    active_.clear();
    for (int repeat = 0; repeat < static_cast<int>(next_.size()); ++repeat) {
      const double shift = repeat * period_;
      std::size_t& next = next_[repeat];
      while (next < use_.stretches.size() && use_.stretches[next].end - shift <= time + rounding) ++next;
      if (next == use_.stretches.size()) continue;
      const RepeatedUse::Stretch& stretch = use_.stretches[next];
      if (stretch.start - shift > time + rounding) {
        until = std::min(until, stretch.start - shift);
        continue;
      }
      until = std::min(until, stretch.end - shift);
      sum += stretch.amount;
      active_.push_back(repeat);
    }
    if (exceeds(sum, use_.capacity)) needed = std::max(needed, separation());
    return until;
  }

  /// Stretches that meet go on meeting in all longer periods until some two of them are apart.
  double separation() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t later = 0; later < active_.size(); ++later) {
      for (std::size_t earlier = later + 1; earlier < active_.size(); ++earlier) {
        const double apart =
            use_.stretches[next_[active_[earlier]]].end - use_.stretches[next_[active_[later]]].start;
        least = std::min(least, apart / (active_[earlier] - active_[later]));
      }
    }
    return std::max(std::ceil(least - rounding), std::floor(period_) + 1);
  }

  const RepeatedUse& use_;
  double period_;
  std::vector<std::size_t> next_;  ///< by repeat: its first stretch that has not ended
  std::vector<int> active_;        ///< repeats that use it now
};

/// No period is shorter than what a repeat takes in all.
double least_by_amount(const RepeatedUse& use) {
  double sum = 0;
  for (const RepeatedUse::Stretch& stretch : use.stretches)
    sum += (stretch.end - stretch.start) * stretch.amount;
  return use.capacity > 0 ? std::ceil(sum / use.capacity * (1 - 1e-9)) : 0;
}

RepeatedUse use_of(const std::vector<double>& times, const std::vector<double>& amounts, double always,
                   double capacity, double end) {
  RepeatedUse use;
  use.capacity = capacity - always;
  for (std::size_t i = 0; i < times.size() && times[i] < end; ++i) {
    const double until = i + 1 < times.size() ? std::min(times[i + 1], end) : end;
    if (amounts[i] > always && until > times[i])
      use.stretches.push_back({times[i], until, amounts[i] - always});
  }
  return use;
}

/// Most bits that a node of a layer needs in a memory.
struct LargestNode {
  int layer = 0;
  double own = 0, all = 0;  ///< without and with the constants that samples share
};

/// Room in memories beside the nodes.
class ResidentRoom {
 public:
  explicit ResidentRoom(const ScheduleState& state)
      : state_(state),
        tables_(state.tables),
        taken_(tables_.memory_count, 0),
        emptied_(tables_.memory_count, 0),
        largest_(tables_.memory_count),
        stays_(tables_.graph->layers.size(), 0) {
    for (int node = 0; node < tables_.node_count; ++node) add_node(node);
  }

  /// True if the constants of a layer have room; they then take it.
  bool take(int layer) {
    if (stays_[layer]) return false;
    std::set<std::pair<int, int>> copies;  // memory, tensor
    const CutLayer& of_graph = tables_.graph->layers[layer];
    for (int node = of_graph.first_node; node < of_graph.first_node + of_graph.node_count; ++node) {
      const int core = state_.group_core[tables_.group_of[node]];
      for (const NeededTensor& need : tables_.needs[node]) {
        if (!tables_.is_shared[need.tensor]) continue;
        const int memory = tables_.top(core, need.memory_operand);
        const bool streams = tables_.node_cost(node, core).streams(need.operand);
        if (memory < 0 || streams || emptied_[memory] ||
            tables_.memories[memory].owner == tables_.offchip_core)
          return false;
        copies.emplace(memory, need.tensor);
      }
    }
    std::map<int, double> bits;
    for (const auto& [memory, tensor] : copies) bits[memory] += tables_.tensor_bits[tensor];
    stays_[layer] = 1;
    const bool fits = !bits.empty() && std::all_of(bits.begin(), bits.end(), [&](const auto& entry) {
      return taken_[entry.first] + entry.second + beside(entry.first) <= tables_.memories[entry.first].size;
    });
    if (!fits) {
      stays_[layer] = 0;
      return false;
    }
    for (const auto& [memory, more] : bits) taken_[memory] += more;
    return true;
  }

 private:
  void add_node(int node) {
    const int layer = tables_.layer_of[node], core = state_.group_core[tables_.group_of[node]];
    const NodeCost& cost = tables_.node_cost(node, core);
    for (const int operand : cost.streamed_memory_operands)
      if (const int memory = tables_.top(core, operand); memory >= 0) emptied_[memory] = 1;
    std::map<int, LargestNode> needs;
    const auto add = [&](int memory, int tensor) {
      if (memory < 0) return;
      LargestNode& need = needs[memory];
      need.all += tables_.tensor_bits[tensor];
      if (!tables_.is_shared[tensor]) need.own += tables_.tensor_bits[tensor];
    };
    for (const NeededTensor& need : tables_.needs[node])
      if (!cost.streams(need.operand)) add(tables_.top(core, need.memory_operand), need.tensor);
    const int output = tables_.output_of[node];
    if (output >= 0 && !cost.streams(0)) add(tables_.top(core, tables_.tensor_operand[output]), output);
    for (const auto& [memory, need] : needs) {
      std::vector<LargestNode>& of_memory = largest_[memory];
      if (of_memory.empty() || of_memory.back().layer != layer) of_memory.push_back({layer, 0, 0});
      of_memory.back().own = std::max(of_memory.back().own, need.own);
      of_memory.back().all = std::max(of_memory.back().all, need.all);
    }
  }

  double beside(int memory) const {
    double most = 0;
    for (const LargestNode& node : largest_[memory])
      most = std::max(most, stays_[node.layer] ? node.own : node.all);
    return most;
  }

  const ScheduleState& state_;
  const ScheduleProblem::Tables& tables_;
  std::vector<double> taken_;                      ///< by memory
  std::vector<char> emptied_;                      ///< by memory: for streams
  std::vector<std::vector<LargestNode>> largest_;  ///< by memory, one for each layer
  std::vector<char> stays_;                        ///< by layer
};

}  // namespace

double least_period(const std::vector<RepeatedUse>& uses, double from) {
  double period = std::ceil(from);
  for (const RepeatedUse& use : uses) period = std::max(period, least_by_amount(use));
  for (;;) {
    end_if_interrupted();
    double needed = period;
    for (const RepeatedUse& use : uses) needed = std::max(needed, Fold(use, period).needed());
    if (needed == period) return period;
    period = needed;
  }
}

namespace {

RepeatedUse use_of_memory(const ScheduleState& state, int memory, double latency) {
  const ScheduleProblem::Tables& tables = state.tables;
  const bool offchip = tables.memories[memory].owner == tables.offchip_core;
  double always = 0;
  for (int copy = state.copies.first_in(memory); copy >= 0; copy = state.copies[copy].after)
    if (state.stays(state.copies[copy].tensor, offchip))
      always += tables.tensor_bits[state.copies[copy].tensor];
  const MemoryUsage& usage = state.usage[memory];
  return use_of(usage.times(), usage.bits(), always, usage.size(), latency);
}

}  // namespace

std::vector<RepeatedUse> repeated_uses(const ScheduleState& state, double latency) {
  std::vector<RepeatedUse> uses;
  for (const Occupancy& core : state.core_busy)
    uses.push_back(use_of(core.times(), core.activity(), 0, 1, latency));
  for (const Occupancy& link : state.links)
    if (!std::isinf(link.capacity()))
      uses.push_back(use_of(link.times(), link.activity(), 0, link.capacity(), latency));
  for (int memory = 0; memory < state.tables.memory_count; ++memory)
    uses.push_back(use_of_memory(state, memory, latency));
  return uses;
}

void find_collision(ScheduleState& state, double period, double latency) {
  ScheduleFailure failure;
  failure.kind = ScheduleFailure::Kind::period;
  failure.missing = period;
  const auto first_above = [&](const std::vector<Occupancy>& all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (exceeds(all[i].peak(0, period), all[i].capacity())) return static_cast<int>(i);
    return -1;
  };
  failure.core = first_above(state.core_busy);
  if (failure.core < 0) failure.link = first_above(state.links);
  const int memories = failure.core < 0 && failure.link < 0 ? state.tables.memory_count : 0;
  for (int memory = 0; memory < memories && failure.memory < 0; ++memory)
    if (const RepeatedUse use = use_of_memory(state, memory, latency); Fold(use, period).needed() > period)
      failure.memory = memory;
  if (failure.core >= 0 || failure.link >= 0 || failure.memory >= 0) state.failure = failure;
}

void keep_resident_layers(ScheduleState& state, const std::vector<int>& wanted) {
  const ScheduleProblem::Tables& tables = state.tables;
  if (wanted.empty()) return;
  ResidentRoom room(state);
  std::vector<char> stays(tables.graph->layers.size(), 0);
  for (const int layer : wanted) {
    if (!room.take(layer)) continue;
    state.resident_layers.push_back(layer);
    stays[layer] = 1;
  }
  for (int tensor = 0; tensor < tables.tensor_count; ++tensor)
    if (tables.is_shared[tensor] && stays[tables.graph->tensors[tensor].layer]) state.resident[tensor] = 1;
}

}  // namespace zz::core
