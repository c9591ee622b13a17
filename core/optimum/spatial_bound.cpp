#include "core/optimum/spatial_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/cost/held_data.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/memory_energy.hpp"
#include "core/cost/transfers.hpp"
#include "core/mapping/loop_factors.hpp"

namespace zz::core {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t least_prime_factor(std::int64_t number) {
  for (std::int64_t prime = 2; prime * prime <= number; ++prime)
    if (number % prime == 0) return prime;
  return number;
}

/// What links cost when whole loops are below them, or none.
class Links {
 public:
  explicit Links(const MappingProblem& problem)
      : problem_(problem),
        layer_(*problem.layer),
        tables_(*problem.accelerator, *problem.layer, *problem.fractional, *problem.integral) {
    for (const RemainingLoop& loop :
         remaining_loops(layer_, *problem.fractional, problem.options.zigzag_compat)) {
      if (loop.size > 1) loops_.push_back(loop);
      iterations_ *= static_cast<double>(loop.size);
    }
    for (int operand = 0; operand < tables_.operand_count; ++operand) {
      kept_share_[operand] = kept_share(operand);
      whole_[operand] = cut(operand, [](const RemainingLoop&) { return true; });
      none_[operand] = cut(operand, [](const RemainingLoop&) { return false; });
      repeats_[operand] = cut(operand, [&](const RemainingLoop& loop) {
        return relevancy(operand, loop) == Relevancy::irrelevant;
      });
    }
  }

  SpatialBound bound() const {
    SpatialBound bound;
    if (!problem_.options.zigzag_compat) {
      bound.latency = iterations_ * tables_.cycles_per_operation;
      for (int operand = 1; operand < tables_.operand_count; ++operand) {
        for (int link = 1; link < tables_.operands[operand].levels; ++link)
          bound.latency = std::max(bound.latency, loading_cycles(operand, link));
      }
    }
    double least = loops_.empty() ? all_below() : infinity;
    for (const RemainingLoop& innermost : loops_) least = std::min(least, with_innermost(innermost));
    bound.energy = least;
    if (!tables_.imc) bound.energy += tables_.unit_energy * static_cast<double>(tables_.mac_count);
    return bound;
  }

  MovedOnce moved_once() const {
    MovedOnce once;
    for (int operand = 0; operand < tables_.operand_count; ++operand) {
      const int levels = tables_.operands[operand].levels;
      for (int link = 1; link < levels; ++link) once.energy[operand] += passed_once(operand, link);
      if (operand > 0 && levels > 1) once.latency[operand] = loading_cycles(operand, levels - 1);
    }
    return once;
  }

 private:
  /// Costs of the links of one operand, all closed at the same loops.
  struct Cut {
    PerLevel<double> energy{};
    PerLevel<double> one_access{};  ///< of each transfer of the link, added up
  };

  Relevancy relevancy(int operand, const RemainingLoop& loop) const {
    return layer_.relevancy(operand, loop.dimension);
  }

  /// Cycles that loading an input once takes at a link between memories. What is loaded in portions is
  /// waited for, or hidden behind a computation and stalls that are at least as long.
  double loading_cycles(int operand, int link) const {
    if (tables_.cycles_per_operation != std::floor(tables_.cycles_per_operation)) return 0;
    std::uint8_t inner = 0;
    const CompactMapping mapping = cut_mapping([](const RemainingLoop&) { return true; }, inner);
    const OperandCycles cycles = operand_cycles(tables_, mapping, operand, problem_.options.same_data_free);
    const HeldData held = HeldData::of_operand(tables_, tables_.integral, mapping, cycles, operand);
    const auto transfers = memory_transfers(tables_.operands[operand], tables_.integral[operand], held,
                                            operand, cycles, 1, link);
    const int index = static_cast<int>(Direction::read_to_low);
    const TransferPort& port = tables_.operands[operand].port[link][index];
    if (port.bandwidth_max == 0) return 0;
    const double bits = transfers[index].elements * transfers[index].precision;
    return std::max(0.0, std::floor(bits / port.bandwidth_max) - 1);
  }

  template <class Below>
  CompactMapping cut_mapping(const Below& below, std::uint8_t& inner) const {
    CompactMapping mapping;
    for (const bool placed : {true, false}) {
      for (const RemainingLoop& loop : loops_) {
        if (below(loop) != placed) continue;
        mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop.dimension);
        mapping.size[mapping.loops++] = loop.size;
        if (placed) ++inner;
      }
    }
    for (int of = 0; of < tables_.operand_count; ++of) {
      for (int level = 0; level < tables_.operands[of].levels; ++level) {
        mapping.stationary[of][level] =
            level + 1 < tables_.operands[of].levels ? inner : static_cast<std::uint8_t>(mapping.loops);
      }
    }
    return mapping;
  }

  template <class Below>
  Cut cut(int operand, const Below& below) const {
    std::uint8_t inner = 0;
    const CompactMapping mapping = cut_mapping(below, inner);
    const int levels = tables_.operands[operand].levels;
    std::int64_t total = 1;
    for (int loop = 0; loop < mapping.loops; ++loop) total *= mapping.size[loop];
    const OperandCycles cycles = operand_cycles(tables_, mapping, operand, problem_.options.same_data_free);
    const HeldData held = HeldData::of_operand(tables_, tables_.fractional, mapping, cycles, operand);
    Cut result;
    for (int level = 0; level < levels; ++level) {
      const auto transfers = memory_transfers(tables_.operands[operand], tables_.fractional[operand], held,
                                              operand, cycles, total, level);
      pay(result, operand, level, level, Direction::read_to_low, transfers);
      pay(result, operand, level, level, Direction::write_from_low, transfers);
      if (level + 1 == levels) break;
      pay(result, operand, level, level + 1, Direction::read_to_high, transfers);
      pay(result, operand, level, level + 1, Direction::write_from_high, transfers);
    }
    if (tables_.imc && tables_.imc->weight_operand == operand) {
      const auto repeats = static_cast<double>(repeats_at_units(tables_, mapping, operand));
      result.energy[0] += tables_.imc->with_repeats(repeats).total();
    }
    return result;
  }

  void pay(Cut& cut, int operand, int level, int link, Direction direction,
           const PerDirection<Transfer>& transfers) const {
    const int index = static_cast<int>(direction);
    const TransferPort& port = tables_.operands[operand].port[level][index];
    const double energy = tables_.operands[operand].energy[level][index];
    if (transfers[index].elements == 0) return;
    if (port.bandwidth_max == 0) {
      cut.energy[link] = infinity;
      return;
    }
    const double units = tables_.fractional[operand].unit_count[level + 1];
    cut.energy[link] += energy * static_cast<double>(count_accesses(transfers[index], port, units));
    cut.one_access[link] += energy;
  }

  /// Parts of a tensor, each as often as it comes, are never less than this share of the whole: fractional
  /// factors are cut to whole ones on the way, and windows over-counted where positions are not exact.
  double kept_share(int operand) const {
    double share = 1;
    for (const auto& level : problem_.fractional->operands[operand].levels) {
      for (const UnrolledLoop& loop : level) {
        if (layer_.relevancy(operand, layer_.loop_index(loop.dimension)) != Relevancy::irrelevant)
          share *= std::floor(loop.factor) / loop.factor;
      }
    }
    if (layer_.has_relations(operand) && !layer_.exact_positions) {
      for (const DimensionRelation& relation : layer_.relations) {
        const auto size = [&](const std::string& name) {
          return layer_.loop_index(name) < 0 ? std::int64_t{1} : layer_.loop_size(name);
        };
        const WindowPositions positions(relation.stride, relation.dilation, relation.size, false);
        const std::int64_t outputs = size(relation.output_loop);
        const std::int64_t filters = size(relation.filter_loop);
        share *= std::min(1.0, static_cast<double>(std::max(outputs, filters)) /
                                   static_cast<double>(positions.count(outputs, filters)));
      }
    }
    const OperandTable& table = tables_.operands[operand];
    if (table.output && table.final_precision > table.precision)
      share *= static_cast<double>(table.precision) / static_cast<double>(table.final_precision);
    return share;
  }

  double passed_once(int operand, int link) const {
    const double whole = whole_[operand].energy[link];
    return std::max(0.0, kept_share_[operand] * whole - whole_[operand].one_access[link]);
  }

  /// The memory below the link cannot hold what the innermost loop brings.
  bool too_small(int operand, int link, const RemainingLoop& innermost) const {
    if (relevancy(operand, innermost) != Relevancy::relevant) return false;
    const OperandTable& table = tables_.operands[operand];
    double elements = static_cast<double>(least_prime_factor(innermost.size));
    for (int level = 0; level < link; ++level) {
      for (const UnrolledLoop& loop : problem_.fractional->operands[operand].levels[level]) {
        const Relevancy how = layer_.relevancy(operand, layer_.loop_index(loop.dimension));
        if (how == Relevancy::partially_relevant) return false;
        if (how == Relevancy::relevant) elements *= loop.factor;
      }
    }
    const auto bits = static_cast<double>(table.output ? std::min(table.precision, table.final_precision)
                                                       : table.precision);
    return elements * bits > table.size[link - 1] * (1 + rounding_tolerance);
  }

  double with_innermost(const RemainingLoop& innermost) const {
    double sum = 0;
    for (int operand = 0; operand < tables_.operand_count; ++operand) {
      const bool changes = relevancy(operand, innermost) != Relevancy::irrelevant;
      bool every_time = changes;
      for (int link = 0; link < tables_.operands[operand].levels; ++link) {
        every_time = every_time && (link == 0 || too_small(operand, link, innermost));
        if (every_time)
          sum += none_[operand].energy[link];
        else if (link == 0)
          sum += std::max(0.0, repeats_[operand].energy[0] - repeats_[operand].one_access[0]);
        else
          sum += passed_once(operand, link);
      }
    }
    return sum;
  }

  double all_below() const {
    double sum = 0;
    for (int operand = 0; operand < tables_.operand_count; ++operand) {
      for (int link = 0; link < tables_.operands[operand].levels; ++link)
        sum += link == 0 ? none_[operand].energy[0] : passed_once(operand, link);
    }
    return sum;
  }

  const MappingProblem& problem_;
  const Layer& layer_;
  CostTables tables_;
  std::vector<RemainingLoop> loops_;
  double iterations_ = 1;
  std::array<double, max_operands> kept_share_{};
  std::array<Cut, max_operands> whole_, none_, repeats_;
};

}  // namespace

SpatialBound spatial_bound(const MappingProblem& problem) { return Links(problem).bound(); }

MovedOnce cost_of_moving_once(const MappingProblem& problem) { return Links(problem).moved_once(); }

double bound_of(const SpatialBound& bound, Objective objective) {
  switch (objective) {
    case Objective::energy:
      return bound.energy;
    case Objective::latency:
      return bound.latency;
    case Objective::edp:
      return bound.energy * bound.latency;
  }
  return 0;
}

}  // namespace zz::core
