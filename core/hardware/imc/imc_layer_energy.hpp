#pragma once
#include "core/hardware/accelerator.hpp"
#include "core/hardware/imc/imc_figures.hpp"
#include "core/workload/layer.hpp"

namespace zz::core {

/// Energy of a layer in an in-memory-computing array, for the unrolling in layer.mapping.spatial_mapping.
/// The order of the temporal loops matters to one part only: how often a group of cells selects another
/// weight.
struct ImcLayerEnergy {
  /// Throws InputError when the array is none of in-memory computing, or the unrolling needs more rows than
  /// it has.
  ImcLayerEnergy(const Accelerator& accelerator, const Layer& layer);

  /// The parts when a weight, once selected, is used for `repeats` cycles in a row.
  ImcEnergy with_repeats(double repeats) const {
    ImcEnergy energy = every_cycle;
    energy.local_bl_precharging /= repeats;
    return energy;
  }

  ImcEnergy every_cycle;   ///< when every operation selects another weight
  int weight_operand = 0;  ///< index into Layer::operands
};

}  // namespace zz::core
