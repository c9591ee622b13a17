#include "core/search/optimal/detail/least_busy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/cost/port_load.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/temporal/mapping_check.hpp"

namespace zz::core {
namespace {

class BusyPorts {
 public:
  BusyPorts(const MappingProblem& problem, const CompactMapping& mapping)
      : problem_(problem), model_(model_of(problem)), best_(mapping) {
    const Score score = model_.score(mapping);
    energy_ = score.energy_total;
    latency_ = score.latency_total2;
    busy_ = sorted_busy(mapping);
  }

  CompactMapping least() {
    while (improve()) {
    }
    return best_;
  }

 private:
  /// Sums of the same energies in another order differ by less. Far below rounding_tolerance, so that a
  /// value which meets its bound still does.
  static constexpr double last_digits = 1e-12;

  /// Takes the first step that makes ports less busy; false: there is none.
  bool improve() {
    const CompactMapping from = best_;
    if (end_elsewhere(from, 0, from.loops)) return true;
    if (!problem_.layer->mapping.temporal_ordering.empty()) return false;
    for (int outer = 1; outer < from.loops; ++outer)
      for (int inner = outer; inner-- > 0;) {
        if (from.dimension[inner] == from.dimension[outer]) continue;
        const CompactMapping other = swapped(from, inner, outer);
        if (take(other)) return true;
        if (outer == inner + 1 && end_elsewhere(other, inner, outer + 1)) return true;
      }
    return false;
  }

  /// Lets one memory of one operand end somewhere from `first` to `last`.
  bool end_elsewhere(const CompactMapping& from, int first, int last) {
    for (int operand = 0; operand < static_cast<int>(problem_.layer->operands.size()); ++operand) {
      // The topmost memory ends above all loops.
      const int top = static_cast<int>(problem_.fractional->operands[operand].levels.size()) - 2;
      for (int level = 0; level < top; ++level)
        for (int cut = first; cut <= last; ++cut)
          if (cut != from.stationary[operand][level] && take(moved(from, operand, level, cut))) return true;
    }
    return false;
  }

  static CompactMapping swapped(CompactMapping mapping, int inner, int outer) {
    std::swap(mapping.dimension[inner], mapping.dimension[outer]);
    std::swap(mapping.kind[inner], mapping.kind[outer]);
    std::swap(mapping.size[inner], mapping.size[outer]);
    return mapping;
  }

  /// The memories below end no later, those above no earlier.
  static CompactMapping moved(CompactMapping mapping, int operand, int level, int cut) {
    auto& cuts = mapping.stationary[operand];
    for (int below = 0; below <= level; ++below) cuts[below] = std::min<std::uint8_t>(cuts[below], cut);
    // The topmost memory ends above all loops.
    for (int above = level; cuts[above] < cut; ++above) cuts[above] = static_cast<std::uint8_t>(cut);
    mapping.allocated[operand] = cuts;
    return mapping;
  }

  bool take(const CompactMapping& mapping) {
    const Score score = model_.score(mapping);
    // An energy that is no number fails as well.
    if (!(std::abs(score.energy_total - energy_) <= energy_ * last_digits)) return false;
    if (score.latency_total2 != latency_) return false;
    std::vector<double> busy = sorted_busy(mapping);
    if (!less(busy, busy_) || !is_legal(mapping)) return false;
    best_ = mapping;
    busy_ = std::move(busy);
    return true;
  }

  std::vector<double> sorted_busy(const CompactMapping& mapping) const {
    std::vector<double> busy = busy_cycles(model_, mapping);
    std::sort(busy.begin(), busy.end(), std::greater<>());
    return busy;
  }

  static bool less(const std::vector<double>& left, const std::vector<double>& right) {
    for (std::size_t port = 0; port < left.size(); ++port) {
      if (left[port] < right[port] * (1 - rounding_tolerance)) return true;
      if (left[port] * (1 - rounding_tolerance) > right[port]) return false;
    }
    return false;
  }

  bool is_legal(const CompactMapping& mapping) const {
    try {
      MappingCheck(*problem_.layer, *problem_.accelerator, *problem_.fractional, problem_.options.rules)
          .check(readable(mapping, *problem_.layer, *problem_.fractional));
      return true;
    } catch (const NoResult&) {
      return false;
    } catch (const InputError&) {
      return false;
    }
  }

  const MappingProblem& problem_;
  CostModel model_;
  CompactMapping best_;
  std::vector<double> busy_;  ///< of the best: cycles of each port, the most first
  double energy_ = 0, latency_ = 0;
};

}  // namespace

CompactMapping least_busy(const MappingProblem& problem, const CompactMapping& mapping) {
  return BusyPorts(problem, mapping).least();
}

}  // namespace zz::core
