#pragma once
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/interruption.hpp"
#include "core/search/methods/objective.hpp"
#include "core/search/optimal/certificate.hpp"

namespace zz::core {

/// The effort that the bound of a spatial mapping took: CompulsoryBound, SpatialBounds::quick, the other
/// bounds of SpatialBounds, least_energy_in_one_order().
enum class BoundEffort { compulsory, quick, thorough, in_one_order };

/// Only the energy has a quick bound.
inline BoundEffort more_than(BoundEffort effort, Objective objective) {
  if (effort == BoundEffort::compulsory && objective != Objective::energy) return BoundEffort::thorough;
  return static_cast<BoundEffort>(static_cast<int>(effort) + 1);
}

/// Spatial mappings of a layer that wait for a closer look, the least bound first. Most of them are ruled
/// out by bounds that take little effort, so that only the first one gets a bound that takes more. The rest
/// of the list, which nobody has looked at, has one bound in common and is ruled out by it.
template <typename Mapping>
class BestFirst {
 public:
  struct Candidate {
    double bound;
    Mapping mapping;
    BoundEffort effort = BoundEffort::compulsory;
    double tie = 0;         ///< lower first among equal bounds of the same effort
    std::size_t place = 0;  ///< in the list; decides then

    bool comes_after(const Candidate& other) const {
      if (bound != other.bound) return bound > other.bound;
      if (effort != other.effort) return effort < other.effort;
      return std::tie(tie, place) > std::tie(other.tie, other.place);
    }
  };

  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }
  /// REQUIRES: not empty().
  const Candidate& first() const { return open_.front(); }
  /// The least bound; infinite when empty.
  double least() const { return empty() ? infinite : first().bound; }

  void push(Candidate candidate) {
    open_.push_back(std::move(candidate));
    std::push_heap(open_.begin(), open_.end(), later);
  }
  /// REQUIRES: not empty().
  Candidate pop() {
    std::pop_heap(open_.begin(), open_.end(), later);
    Candidate candidate = std::move(open_.back());
    open_.pop_back();
    return candidate;
  }

  /// Takes steps until nothing has a bound below `cutoff()`. Where `rest()`, the bound of what is not
  /// listed yet, is less than all others, a step is `list()`: it pushes one more mapping, or finds that
  /// there is none. Else it is `advance(pop())`.
  template <typename Cutoff, typename Rest, typename List, typename Advance>
  void walk(Cutoff cutoff, Rest rest, List list, Advance advance) {
    for (;;) {
      const double end = cutoff(), of_rest = rest();
      if (!(std::min(least(), of_rest) < end)) return;
      if (of_rest < least())
        list();
      else
        advance(pop());
    }
  }

  /// The least bound of the effort `last` among all mappings; infinite: there is none. `bound(mapping,
  /// effort)` bounds one of them, or throws NoResult where it is not legal. Ends when the run is
  /// interrupted.
  template <typename Rest, typename List, typename Bound>
  double least_bound(Objective objective, BoundEffort last, Rest rest, List list, Bound bound) {
    double found = infinite;
    const auto cutoff = [&] {
      end_if_interrupted();
      return found;
    };
    walk(cutoff, rest, list, [&](Candidate candidate) {
      try {
        candidate.effort = more_than(candidate.effort, objective);
        candidate.bound = std::max(candidate.bound, bound(candidate.mapping, candidate.effort));
      } catch (const NoResult&) {
        return;
      }
      if (candidate.effort == last)
        found = std::min(found, candidate.bound);
      else
        push(std::move(candidate));
    });
    return found;
  }

 private:
  static bool later(const Candidate& a, const Candidate& b) { return a.comes_after(b); }

  std::vector<Candidate> open_;  ///< a heap
};

}  // namespace zz::core
