#include "core/search/optimal/searched_space.hpp"

#include <algorithm>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {
namespace {

/// The part that all searches have: their limits and objective.
ProofSpace space_of(Objective objective, const MappingLimits& allowed) {
  ProofSpace space;
  space.dividing = true;
  space.limited = allowed.any();
  space.for_energy = objective == Objective::energy;
  space.for_latency = objective == Objective::latency;
  space.for_edp = objective == Objective::edp;
  return space;
}

/// A hint leaves out loops that the array dimension might unroll. One without any loop of the layer is not
/// used, and of several for one dimension the last that is used counts.
bool rules_loops_out(const Layer& layer, const std::string& array_dimension) {
  bool rules_out = false;
  for (const UnrollingHint& hint : layer.mapping.spatial_hints) {
    if (hint.array_dimension != array_dimension) continue;
    const auto names = [&](const LoopDimension& loop) {
      return std::find(hint.dimensions.begin(), hint.dimensions.end(), loop.name) != hint.dimensions.end();
    };
    if (std::none_of(layer.loops.begin(), layer.loops.end(), names)) continue;
    rules_out = std::any_of(layer.loops.begin(), layer.loops.end(), [&](const LoopDimension& loop) {
      return !names(loop) && !loop.sequential && loop.size > 1;
    });
  }
  return rules_out;
}

/// A bound of the objective over every unrolling there is; 0: none is known.
double bound_of_all_unrollings(const JointOptions& options, const Layer& layer,
                               const Accelerator& accelerator) {
  if (accelerator.array.imc) return 0;
  Layer open = layer;
  open.mapping.spatial_mapping = {};
  open.mapping.spatial_hints = {};
  try {
    const CompulsoryBound bound = compulsory_bound(open, accelerator, options.model, options.refinements);
    const auto units = static_cast<double>(accelerator.array.unit_count());
    return bound_of(bound.by_units(units), Goal(options.objective, options.allowed));
  } catch (const InputError&) {
    return 0;
  } catch (const NoResult&) {
    return 0;
  }
}

}  // namespace

ProofSpace space_of(const JointOptions& options) {
  ProofSpace space = space_of(options.objective, options.allowed);
  space.dividing = !has_chains(options);
  space.some_chains = has_chains(options);
  space.even = options.factors == UnrollingFactors::even;
  space.one_loop = !options.mixed;
  return space;
}

ProofSpace space_of(const JointOptions& options, const Layer& layer, const Accelerator& accelerator) {
  ProofSpace space = space_of(options);
  space.ordered = !layer.mapping.temporal_ordering.empty();
  space.cut = !layer.mapping.cuts.empty();
  const auto& arrays = accelerator.array.dimensions;
  const auto given = [&](const ArrayDimension& array) {
    return layer.mapping.spatial_mapping.find(array.name) != nullptr;
  };
  space.prescribed = !arrays.empty() && std::all_of(arrays.begin(), arrays.end(), given);
  space.hinted = !space.prescribed && std::any_of(arrays.begin(), arrays.end(), [&](const auto& array) {
    return given(array) || rules_loops_out(layer, array.name);
  });
  if (space.prescribed) space.even = space.one_loop = false;
  if (!may_have_chains(layer, accelerator, options.model.rules)) {
    space.dividing = true;
    space.some_chains = false;
  }
  return space;
}

ProofSpace space_of(const JointOptimum& optimum, const JointOptions& options, const Layer& layer,
                    const Accelerator& accelerator) {
  ProofSpace space = space_of(options, layer, accelerator);
  if (optimum.even) space.even = true;
  space.dividing = !optimum.chains;
  space.some_chains = optimum.chains;
  if (optimum.second) {
    space.second_even = optimum.second->even && !space.even;
    space.second_dividing = optimum.chains && !optimum.second->chains;
  }
  if (optimum.prescribed) {
    space.prescribed = true;
    space.hinted = space.even = space.second_even = space.one_loop = false;
  }
  if (!space.prescribed && !space.hinted) return space;
  if (optimum.certificate.gap() > 0) return space;
  const double bound = bound_of_all_unrollings(options, layer, accelerator);
  space.unbeaten = optimum.certificate.value <= bound * (1 + rounding_tolerance);
  return space;
}

ProofSpace space_of(const OptimumOptions& options, const Layer& layer) {
  ProofSpace space = space_of(options.objective, options.allowed);
  space.given = true;
  space.ordered = !layer.mapping.temporal_ordering.empty();
  space.cut = !layer.mapping.cuts.empty();
  space.greedy = options.space == MappingSpace::loma;
  space.dividing = !options.chains;
  space.some_chains = options.chains;
  return space;
}

}  // namespace zz::core
