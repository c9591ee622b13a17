#include "core/cost/link_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/cost/balance.hpp"
#include "core/cost/direction_index.hpp"
#include "core/cost/loading.hpp"
#include "core/cost/port_stalls.hpp"

namespace zz::core {
namespace {

/// Uses of one port: each operand at one level in four directions at most.
constexpr std::size_t max_uses = max_operands * direction_count;
static_assert(LinkTables::most_boundaries <= 64, "sets of boundaries are words");

/// Sharers of a memory that hold no more than this part of it together all get a second buffer, whatever
/// their shares are without what is about to be replaced.
constexpr double surely_half = 0.499;

/// The evaluation of one order: which links its cuts are, and what follows from them together.
class LinkScore {
 public:
  LinkScore(const CostTables& tables, const CostModelOptions& options, const OrderCuts& cuts,
            LinkTables& links)
      : tables_(tables), options_(options), cuts_(cuts), links_(links) {}

  std::optional<Score> run(const ScoreLimit& limit) {
    if (!find_links()) return std::nullopt;
    // ZigZag's own way to hide loading may make it less than nothing.
    const bool loading_is_less = options_.zigzag_compat && options_.loading_uses_spare_cycles;
    const auto is_worse = [&](double energy, double latency) {
      return limit.is_exceeded(energy, loading_is_less ? -ScoreLimit::none : latency);
    };
    Score score;
    const double computation = iterations(links_.lattice().all()) * tables_.cycles_per_operation;
    score.energy_total = energy();
    if (is_worse(score.energy_total, computation)) return ScoreLimit::worse;
    grant_second_buffers();
    allow_windows();
    const std::int64_t stalls = stall_cycles();
    score.latency_total0 = computation + static_cast<double>(stalls);
    if (is_worse(score.energy_total, score.latency_total0)) return ScoreLimit::worse;
    hide_loading(static_cast<std::int64_t>(std::ceil(computation)) + stalls);
    score.latency_total2 = score.latency_total0 + onloading() + offloading();
    return score;
  }

 private:
  bool find_links() {
    const int boundaries = static_cast<int>(links_.boundaries().size());
    for (int boundary = 0; boundary < boundaries; ++boundary) {
      const LevelLink& link = links_.link(boundary, cuts_.point(boundary));
      if (link.special) return false;
      if (link.count == 1) once_ |= std::uint64_t{1} << boundary;
      link_[boundary] = &link;
    }
    return true;
  }

  double energy() const {
    double total = 0;
    int boundary = 0;
    for (const LinkTables::Boundary& place : links_.boundaries()) {
      const int here = boundary++;
      if (place.top) continue;
      const PerDirection<double>& low = link_[here]->energy;
      const PerDirection<double>& high = link_[here + 1]->energy;
      total += (high[read_to_high] + low[read_to_low]) + (high[write_from_high] + low[write_from_low]);
    }
    if (!tables_.imc) return total + tables_.unit_energy * static_cast<double>(tables_.mac_count);
    const LoopLattice::Point repeats = cuts_.repeats(tables_.imc->weight_operand);
    return total + tables_.imc->with_repeats(iterations(repeats)).total();
  }

  double iterations(LoopLattice::Point point) const {
    return static_cast<double>(links_.lattice().iterations(point));
  }

  /// What a level holds without what its outermost relevant loops replace, as a share of the memory.
  double effective_share(int holder, double size) const {
    const std::int64_t replaced = links_.lattice().iterations(cuts_.point(holder)) /
                                  links_.lattice().iterations(cuts_.without_relevant_run(holder));
    return std::floor(link_[holder]->bits / static_cast<double>(replaced)) / size;
  }

  /// As MemoryUse does for all levels.
  void grant_second_buffers() {
    for (const LinkTables::Store& store : links_.stores()) {
      double bits = 0;
      for (const int holder : store.holders) bits += link_[holder]->bits;
      if (bits <= surely_half * store.size) {
        for (const int holder : store.holders) second_buffer_ |= std::uint64_t{1} << holder;
        continue;
      }
      double claimed = 0;
      for (const int holder : store.holders) claimed += effective_share(holder, store.size);
      for (const int holder : store.claims) {
        if (claimed > 0.5) {
          const double share = effective_share(holder, store.size);
          if (share > 1 - claimed) continue;
          if (store.shared) claimed += share;
        }
        second_buffer_ |= std::uint64_t{1} << holder;
      }
    }
  }

  /// Cycles of each period in which the data of a level may be exchanged: with a second buffer all.
  void allow_windows() {
    int boundary = 0;
    for (const LinkTables::Boundary& place : links_.boundaries()) {
      const int here = boundary++;
      if (place.top) continue;
      const bool whole_period = place.level == 0 || (second_buffer_ >> here & 1) != 0;
      allowed_[here] = whole_period
                           ? link_[here]->period
                           : scaled_cycles(links_.lattice().iterations(cuts_.without_irrelevant_run(here)),
                                           tables_.cycles_per_operation);
    }
  }

  std::int64_t stall_cycles() {
    std::int64_t worst = 0;
    for (const LinkTables::Port& port : links_.ports()) {
      if (port.uses.size() == 1) {
        const LinkTables::PortUse& use = port.uses.front();
        const LevelLink& link = *link_[use.boundary];
        if (use.partial_sums_back && !link.partial_sum) continue;
        worst = std::max(worst, (link.cycles[use.direction] - allowed_[use.boundary]) * (link.count - 1));
        continue;
      }
      load_.clear();
      for (const LinkTables::PortUse& use : port.uses) {
        const LevelLink& link = *link_[use.boundary];
        if (use.partial_sums_back && !link.partial_sum) continue;
        load_.add({link.cycles[use.direction], allowed_[use.boundary], link.period, link.count});
      }
      worst = std::max(worst, load_.stall());
    }
    return worst;
  }

  void hide_loading(std::int64_t computation_cycles) {
    for (std::size_t boundary = 0; boundary < links_.boundaries().size(); ++boundary) {
      below_[boundary] = link_[boundary]->load_below;
      above_[boundary] = link_[boundary]->load_above;
    }
    if (!options_.loading_uses_spare_cycles) return;
    for (const LinkTables::Port& port : links_.ports()) {
      if ((port.loads & once_) != 0) hide_loading(port, computation_cycles);
    }
  }

  void hide_loading(const LinkTables::Port& port, std::int64_t computation_cycles) {
    std::array<const LinkTables::PortUse*, max_uses> use_of;
    std::size_t count = 0;
    double required = 0;
    for (const LinkTables::PortUse& use : port.uses) {
      if (use.partial_sums_back) continue;
      const LevelLink& link = *link_[use.boundary];
      if (link.count > 1) {
        required += link.demand[use.direction];
        continue;
      }
      // What the lowest memory of the operand takes must be there before anything can start.
      const int operand = links_.boundaries()[static_cast<std::size_t>(use.boundary)].operand;
      const double first_data = link_[links_.lowest(operand) + 1]->whole_bits;
      once_transfers_[count] = {static_cast<double>(link.cycles[use.direction]),
                                std::ceil(first_data / port.bandwidth_max)};
      use_of[count++] = &use;
    }
    const double spare = spare_port_cycles(port.bandwidth_max, required, computation_cycles);
    const std::span<OneTimeTransfer> once(once_transfers_.data(), count);
    if (options_.zigzag_compat || !hide_completely(once, spare))
      hide_transfers(once, spare, options_.zigzag_compat);
    for (std::size_t i = 0; i < count; ++i)
      (use_of[i]->below ? below_ : above_)[use_of[i]->boundary] = once_transfers_[i].cycles;
  }

  double onloading() const {
    std::array<InputLoading, max_operands> inputs;
    for (int operand = 1; operand < tables_.operand_count; ++operand) {
      for (int level = 1; level < tables_.operands[operand].levels; ++level) {
        const int boundary = links_.lowest(operand) + level;
        const LinkTables::Sharing& sharing = links_.sharing(boundary);
        inputs[operand].add(std::max(below_[boundary], above_[boundary]), sharing.below, sharing.above,
                            options_.zigzag_compat);
      }
    }
    if (tables_.operand_count == 3) return combined_onloading(inputs[1], inputs[2]);
    return tables_.operand_count == 2 ? combined_onloading(inputs[1]) : 0;
  }

  double offloading() const {
    double cycles = 0;
    for (int boundary = 1; boundary < tables_.operands[0].levels; ++boundary)
      cycles += std::max(below_[boundary], above_[boundary]);
    return cycles;
  }

  template <class T>
  using PerBoundary = std::array<T, LinkTables::most_boundaries>;

  const CostTables& tables_;
  const CostModelOptions& options_;
  const OrderCuts& cuts_;
  LinkTables& links_;
  PerBoundary<const LevelLink*> link_;
  std::uint64_t once_ = 0;           ///< boundaries that all data pass in one portion, one bit each
  std::uint64_t second_buffer_ = 0;  ///< boundaries whose memory below has room for the next portion
  PerBoundary<std::int64_t> allowed_;
  // Cycles of the first (or last) portion on the side of the memory below the boundary and of that above.
  PerBoundary<double> below_, above_;
  PortLoad load_;
  std::array<OneTimeTransfer, max_uses> once_transfers_;
};

}  // namespace

std::optional<Score> score_by_links(const CostTables& tables, const CostModelOptions& options,
                                    const OrderCuts& cuts, LinkTables& links, const ScoreLimit& limit) {
  return LinkScore(tables, options, cuts, links).run(limit);
}

std::uint64_t boundaries_with_runs(const OrderCuts& cuts, LinkTables& links) {
  std::uint64_t boundaries = 0;
  for (const LinkTables::Store& store : links.stores()) {
    double bits = 0;
    for (const int holder : store.holders) bits += links.link(holder, cuts.point(holder)).bits;
    if (bits <= surely_half * store.size) continue;
    for (const int holder : store.holders) boundaries |= std::uint64_t{1} << holder;
  }
  return boundaries;
}

}  // namespace zz::core
