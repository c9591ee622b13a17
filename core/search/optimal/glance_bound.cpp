#include "core/search/optimal/glance_bound.hpp"

#include <algorithm>

namespace zz::core {

GlanceBound::GlanceBound(const Layer& layer, const Accelerator& accelerator, const CostModelOptions& model,
                         const MovedOnce& moved_once)
    : layer_(layer),
      model_(model),
      moved_once_(moved_once),
      operations_(static_cast<double>(layer.mac_count())) {
  energy_of_units_ = accelerator.array.imc ? 0 : accelerator.array.unit_energy * operations_;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    for (const Memory& memory : accelerator.memories) {
      // The one in the last place counts.
      if (memory.holds(layer.memory_operand(operand)))
        fed_by_one_memory_[operand] = accelerator.instances(memory) == 1;
    }
  }
}

SpatialBound GlanceBound::by_units(double units) const {
  SpatialBound bound;
  bound.energy = energy_of_units_;
  if (!model_.zigzag_compat) bound.latency = operations_ / units;
  return bound;
}

SpatialBound GlanceBound::of(const SpatialSpace& space, const SpatialSpace::Choice& choice) const {
  SpatialBound bound = by_units(space.units(choice));
  if (model_.zigzag_compat) return bound;
  const std::vector<SpatialSpace::Rest> rests = space.rests(choice);
  bound.latency = 1;
  for (const SpatialSpace::Rest& rest : rests) bound.latency *= rest.rounds;
  for (int operand = 0; operand < static_cast<int>(layer_.operands.size()); ++operand) {
    double share = 1;
    for (int loop = 0; loop < static_cast<int>(rests.size()); ++loop) {
      if (layer_.relevancy(operand, loop) != Relevancy::irrelevant) share *= rests[loop].whole_share;
    }
    // Units that share a window may split it in ways that are not looked into here.
    for (const DimensionRelation& relation : layer_.relations) {
      if (layer_.has_relations(operand) && is_unrolled(relation.output_loop, rests) &&
          is_unrolled(relation.filter_loop, rests))
        share = 0;
    }
    bound.energy += share * moved_once_.energy[operand];
    if (fed_by_one_memory_[operand])
      bound.latency = std::max(bound.latency, share * moved_once_.latency[operand]);
  }
  return bound;
}

bool GlanceBound::is_unrolled(const std::string& name, const std::vector<SpatialSpace::Rest>& rests) const {
  const int loop = layer_.loop_index(name);
  return loop >= 0 && rests[loop].rounds < static_cast<double>(layer_.loops[loop].size);
}

}  // namespace zz::core
