#include "core/cost/latency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/cost/loading.hpp"
#include "core/cost/port_load.hpp"
#include "core/workload/window_positions.hpp"

namespace zz::core {
namespace {

/// Uses of one port: each operand at one level in four directions at most.
constexpr std::size_t max_uses = max_operands * direction_count;
static_assert(Boundaries::most <= 64, "sets of boundaries are words");

/// Sharers of a memory that hold no more than this part of it together all get a second buffer, whatever
/// their shares are without what is about to be replaced.
constexpr double surely_half = 0.499;

class LatencyModel {
 public:
  LatencyModel(const CostTables& tables, const CostModelOptions& options, const Boundaries& boundaries,
               const CompactMapping& mapping, std::span<const BoundaryCost* const> costs)
      : tables_(tables),
        options_(options),
        boundaries_(boundaries),
        mapping_(mapping),
        costs_(costs),
        pace_(pace_of(tables, mapping)),
        busiest_port_(boundaries.line_cycles()) {}

  Latency latency() {
    latency_.ideal = pace_.at_full_pace();
    latency_.array = pace_.cycles();
    const double behind = stall_cycles();
    const double stalls = behind + further_stalls(behind);
    latency_.computation = latency_.array + stalls;
    // Loading hides as it does when nothing is skipped: so what is skipped never costs more.
    const double busy = std::ceil(pace_.without_skips());
    load(options_.rules.stalls_hide_at_every_port ? busy + behind : busy);
    latency_.onloading = onloading();
    latency_.offloading = offloading();
    if (stalls > 0 && left_ > 0) hide_in_stalls(stalls);
    latency_.drain = static_cast<double>(tables_.drain);
    if (!options_.rules.faster_than_ports) wait_for_ports();
    return latency_;
  }

  void tell(LoadingCycles& loading) const {
    const std::size_t boundaries = boundaries_.all().size();
    std::copy_n(below_.begin(), boundaries, loading.below.begin());
    std::copy_n(above_.begin(), boundaries, loading.above.begin());
  }

 private:
  template <class T>
  using PerBoundary = std::array<T, Boundaries::most>;

  double stall_cycles() {
    const std::uint64_t granted = second_buffers(tables_, options_.rules, boundaries_, mapping_, costs_);
    latency_.second_buffer_refused = granted != boundaries_.holders();
    const Windows windows(tables_, boundaries_, mapping_, pace_, costs_, granted);
    double worst = 0;
    for (const Boundaries::Port& port : boundaries_.ports()) {
      const PortLoad load = load_of(port, pace_, costs_, windows);
      worst = std::max(worst, load.stall());
      busiest_port_ = std::max(busiest_port_, load.busy());
    }
    return worst;
  }

  /// Beyond those of the port that falls behind most.
  double further_stalls(double behind) {
    for (const std::size_t port : boundaries_.partly_hiding()) {
      const Boundaries::Port& one = boundaries_.ports()[port];
      latency_.unhidden = std::max(
          latency_.unhidden, unhidden_cycles(one.overlap, latency_.array, repeated_cycles(one, costs_)));
    }
    const double computation = latency_.array + behind + latency_.unhidden;
    for (const Boundaries::Paced& one : boundaries_.paced()) {
      const double paced = one.interval * static_cast<double>(costs_[one.boundary]->count);
      latency_.tile_interval = std::max(latency_.tile_interval, paced - computation);
    }
    return latency_.unhidden + latency_.tile_interval;
  }

  /// Cycles to load a first portion (of the output: to off-load the last) on both sides of each boundary.
  void load(double computation_cycles) {
    int boundary = 0;
    for (const Boundaries::Boundary& at : boundaries_.all()) {
      const int here = boundary++;
      const bool output = tables_.operands[at.operand].output;
      const BoundaryCost& cost = *costs_[here];
      below_[here] = static_cast<double>(cost.once(output ? read_to_high : write_from_high, output));
      above_[here] = static_cast<double>(cost.once(output ? write_from_low : read_to_low, output));
    }
    if (options_.rules.loading_on_top) return;
    for (const Boundaries::Port& port : boundaries_.ports()) hide_loading(port, computation_cycles);
  }

  void hide_loading(const Boundaries::Port& port, double computation_cycles) {
    std::array<OneTimeTransfer, max_uses> once;
    std::array<double*, max_uses> cycles_of;
    std::size_t count = 0;
    double required = 0;
    for (const Boundaries::PortUse& use : port.uses) {
      if (use.partial_sums_back) continue;
      const BoundaryCost& cost = *costs_[use.boundary];
      if (cost.count > 1) {
        required += cost.demand[use.direction];
        continue;
      }
      // A shared tile must be there whole, also one that is loaded once.
      if ((boundaries_.tiles() >> use.boundary & 1) != 0) continue;
      // The share of the lowest memory of the operand must be there before anything can start.
      const int lowest_memory = boundaries_.number(boundaries_[use.boundary].operand, 1);
      const double first_data = costs_[lowest_memory]->whole_bits;
      cycles_of[count] = &(use.below ? below_ : above_)[use.boundary];
      once[count++] = {static_cast<double>(cost.cycles[use.direction]),
                       std::ceil(first_data / port.bandwidth)};
    }
    if (count == 0) return;
    const double spare = spare_port_cycles(port.bandwidth, required / pace_.average(), computation_cycles);
    if (options_.rules.stalls_hide_at_every_port) {
      hide_transfers({once.data(), count}, spare, options_.rules.loading_below_minimum);
      for (std::size_t i = 0; i < count; ++i) *cycles_of[i] = once[i].cycles;
      return;
    }
    double hideable = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double least = least_cycles(once[i]);
      *cycles_of[i] = cycles_left(once[i], spare);
      hideable += once[i].cycles - least;
      if (*cycles_of[i] > least) still_hideable_[left_++] = {cycles_of[i], least};
    }
    latency_.more_to_hide = latency_.more_to_hide || hideable > spare;
  }

  /// Units that wait need nothing of the ports, so that a stalled cycle hides one of the loading that is
  /// left.
  void hide_in_stalls(double stalls) {
    const auto swap = [&] {
      for (std::size_t i = 0; i < left_; ++i)
        std::swap(*still_hideable_[i].cycles, still_hideable_[i].least);
    };
    swap();
    const double from_onloading = latency_.onloading - onloading();
    const double hidden = std::min(stalls, from_onloading + latency_.offloading - offloading());
    swap();  // which of the loading the stalls hide is not decided
    const double of_onloading = std::min(hidden, from_onloading);
    latency_.onloading -= of_onloading;
    latency_.offloading -= hidden - of_onloading;
  }

  double onloading() {
    std::array<InputLoading, max_operands> inputs;
    for (int operand = 1; operand < tables_.operand_count; ++operand) {
      for (int level = 1; level < tables_.operands[operand].levels; ++level) {
        const int boundary = boundaries_.number(operand, level);
        const Boundaries::Sharing& sharing = boundaries_.sharing(boundary);
        if (inputs[operand].add(std::max(below_[boundary], above_[boundary]), sharing.below, sharing.above,
                                options_.rules.highest_half_shared_only))
          latency_.half_shared_corrected = true;
      }
    }
    if (tables_.operand_count == 3) return combined_onloading(inputs[1], inputs[2]);
    if (tables_.operand_count < 2) return 0;
    return options_.rules.shared_loading_forgotten ? inputs[1].individual : combined_onloading(inputs[1]);
  }

  /// Hiding counts the average bandwidth in whole bits, and inputs that share a port on one side of a
  /// boundary as loaded at the same time: together less than the port may need.
  void wait_for_ports() {
    latency_.waited_for_ports = std::max(0.0, std::ceil(snapped(busiest_port_)) - latency_.total());
    latency_.offloading += latency_.waited_for_ports;
  }

  double offloading() const {
    double cycles = 0;
    for (int level = 1; level < tables_.operands[0].levels; ++level) {
      const int boundary = boundaries_.number(0, level);
      cycles += std::max(below_[boundary], above_[boundary]);
    }
    return cycles;
  }

  const CostTables& tables_;
  const CostModelOptions& options_;
  const Boundaries& boundaries_;
  const CompactMapping& mapping_;
  const std::span<const BoundaryCost* const> costs_;
  const ArrayPace pace_;
  Latency latency_;
  double busiest_port_;  ///< cycles for all that goes through it
  // Cycles of the first (or last) portion on the side of the memory below the boundary and of that above.
  PerBoundary<double> below_, above_;
  /// One of these cycles, and how far they could fall.
  struct StillHideable {
    double* cycles;
    double least;
  };
  std::array<StillHideable, 2 * std::size_t{Boundaries::most}> still_hideable_;
  std::size_t left_ = 0;  ///< of still_hideable_
};

}  // namespace

Latency latency_of(const CostTables& tables, const CostModelOptions& options, const Boundaries& boundaries,
                   const CompactMapping& mapping, std::span<const BoundaryCost* const> costs,
                   LoadingCycles* loading) {
  LatencyModel model(tables, options, boundaries, mapping, costs);
  const Latency latency = model.latency();
  if (loading != nullptr) model.tell(*loading);
  return latency;
}

double kept_bits(const CostTables& tables, const Boundaries& boundaries, const CompactMapping& mapping,
                 std::span<const BoundaryCost* const> costs, int holder) {
  const Boundaries::Boundary& at = boundaries[holder];
  const double replaced = outer_iterations(tables, mapping, at.operand, at.level, Relevancy::relevant);
  const double bits = held_bits(*costs[holder - 1], *costs[holder]);
  return std::floor(bits / replaced);
}

std::uint64_t second_buffers(const CostTables& tables, const Rules& rules, const Boundaries& boundaries,
                             const CompactMapping& mapping, std::span<const BoundaryCost* const> costs) {
  struct Claim {
    int holder;
    double share;
  };
  std::uint64_t granted = 0;
  for (const Boundaries::SharedMemory& memory : boundaries.memories()) {
    if (!second_buffers_depend_on_outer_loops(memory, costs)) {
      for (const int holder : memory.holders) granted |= std::uint64_t{1} << holder;
      continue;
    }
    double claimed = 0;
    std::array<Claim, max_operands> claims;
    auto end = claims.begin();
    const auto before = [&](const Claim& a, const Claim& b) {
      const bool by_share = !rules.second_buffers_by_operand && a.share != b.share;
      return by_share ? a.share < b.share : a.holder < b.holder;
    };
    for (const int holder : memory.holders) {
      const Claim claim{holder, kept_bits(tables, boundaries, mapping, costs, holder) / memory.size};
      claimed += claim.share;
      const auto place = std::upper_bound(claims.begin(), end, claim, before);
      std::move_backward(place, end, end + 1);
      *place = claim;
      ++end;
    }
    for (auto claim = claims.begin(); claim != end; ++claim) {
      if (claimed > 0.5) {
        if (claim->share > 1 - claimed) continue;
        if (memory.shared) claimed += claim->share;
      }
      granted |= std::uint64_t{1} << claim->holder;
    }
  }
  return granted;
}

bool second_buffers_depend_on_outer_loops(const Boundaries::SharedMemory& memory,
                                          std::span<const BoundaryCost* const> costs) {
  double bits = 0;
  for (const int holder : memory.holders) bits += held_bits(*costs[holder - 1], *costs[holder]);
  return bits > surely_half * memory.size;
}

}  // namespace zz::core
