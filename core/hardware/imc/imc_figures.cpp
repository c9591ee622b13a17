#include "core/hardware/imc/imc_figures.hpp"

namespace zz::core {

double ImcEnergy::total() const {
  return local_bl_precharging + dacs + adcs + mults + analog_bl_addition + adders_regular + adders_pv +
         accumulators;
}

double ImcParts::total() const {
  return cells + dacs + adcs + mults + adders_regular + adders_pv + accumulators;
}

double ImcFigures::mem_area() const {
  double sum = 0;
  for (const auto& [memory, area_of_memory] : memory_areas) sum += area_of_memory;
  return sum;
}

ImcFigures add(const ImcFigures& a, const ImcFigures& b) {
  ImcFigures sum = b.area_total() > a.area_total() ? b : a;
  sum.clock = b.tclk() > a.tclk() ? b.clock : a.clock;
  sum.energy.local_bl_precharging = a.energy.local_bl_precharging + b.energy.local_bl_precharging;
  sum.energy.dacs = a.energy.dacs + b.energy.dacs;
  sum.energy.adcs = a.energy.adcs + b.energy.adcs;
  sum.energy.mults = a.energy.mults + b.energy.mults;
  sum.energy.analog_bl_addition = a.energy.analog_bl_addition + b.energy.analog_bl_addition;
  sum.energy.adders_regular = a.energy.adders_regular + b.energy.adders_regular;
  sum.energy.adders_pv = a.energy.adders_pv + b.energy.adders_pv;
  sum.energy.accumulators = a.energy.accumulators + b.energy.accumulators;
  return sum;
}

ImcFigures scale(const ImcFigures& a, double factor) {
  ImcFigures scaled = a;
  ImcEnergy& energy = scaled.energy;
  for (double* part :
       {&energy.local_bl_precharging, &energy.dacs, &energy.adcs, &energy.mults, &energy.analog_bl_addition,
        &energy.adders_regular, &energy.adders_pv, &energy.accumulators}) {
    *part *= factor;
  }
  return scaled;
}

}  // namespace zz::core
