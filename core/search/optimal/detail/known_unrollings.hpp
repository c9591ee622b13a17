#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/hardware/accelerator.hpp"
#include "core/mapping/spatial_mapping.hpp"
#include "core/search/optimal/detail/best_first.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/optimal_joint_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// The spatial mappings of a layer that find_joint_optimum() may find, for bounds without a search: those
/// of the generator, with which the search begins whether or not the space has them, and those of
/// SpatialSpace as far as somebody asked for them. They are kept, so that accelerators with the same space
/// share them. Not thread-safe.
class KnownUnrollings {
 public:
  struct Met {
    SpatialUnrolling unrolling;
    std::optional<SpatialSpace::Choice> choice = {};  ///< nothing: of the generator
    std::optional<MappingProblem> problem = {};       ///< for whoever needs one
  };

  KnownUnrollings(const Layer& layer, const Accelerator& accelerator, const JointOptions& options)
      : space_(layer, accelerator, {options.mixed, options.factors, options.model.rules}) {
    try {
      for (SpatialUnrolling& unrolling :
           generate_spatial_mappings(layer, accelerator,
                                     {.mixed = options.mixed, .rules = options.model.rules})
               .mappings)
        first_.push_back({std::move(unrolling)});
    } catch (const NoResult&) {
      return;  // only the space may have some
    }
  }

  const SpatialSpace& space() const { return space_; }
  std::size_t listed() const { return listed_.size(); }

  /// The least bound of the effort `last` among all of them, as BestFirst::least_bound() finds it.
  /// `by_units(n)` bounds all of at most so many units, `at_first(met)` one of them before a closer look.
  template <typename ByUnits, typename AtFirst, typename Bound>
  double least_bound(Objective objective, BoundEffort last, ByUnits by_units, AtFirst at_first,
                     Bound bound) {
    BestFirst<Met*> open;
    for (Met& met : first_) open.push({at_first(met), &met});
    std::size_t next = 0;  // of the listed ones
    const auto rest = [&] {
      return by_units(next < listed_.size() ? space_.units(*listed_[next].choice) : space_.most());
    };
    const auto list = [&] {
      if (next == listed_.size()) {
        const std::optional<SpatialSpace::Choice> choice = space_.next();
        if (!choice) return;
        listed_.push_back({space_.unrolling(*choice), choice});
      }
      Met& met = listed_[next++];
      open.push({at_first(met), &met});
    };
    return open.least_bound(objective, last, rest, list,
                            [&](Met* met, BoundEffort effort) { return bound(*met, effort); });
  }

 private:
  SpatialSpace space_;
  std::deque<Met> first_;   ///< of the generator
  std::deque<Met> listed_;  ///< of the space, as far as it was asked
};

}  // namespace zz::core
