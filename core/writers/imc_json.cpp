#include "core/writers/imc_json.hpp"

#include <nlohmann/json.hpp>

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

Json parts_json(const ImcParts& parts) {
  return {{"cells", parts.cells},
          {"dacs", parts.dacs},
          {"adcs", parts.adcs},
          {"mults", parts.mults},
          {"adders_regular", parts.adders_regular},
          {"adders_pv", parts.adders_pv},
          {"accumulators", parts.accumulators}};
}

}  // namespace

Json imc_energy_json(const ImcEnergy& energy) {
  return {{"local_bl_precharging", energy.local_bl_precharging},
          {"dacs", energy.dacs},
          {"adcs", energy.adcs},
          {"mults", energy.mults},
          {"analog_bl_addition", energy.analog_bl_addition},
          {"adders_regular", energy.adders_regular},
          {"adders_pv", energy.adders_pv},
          {"accumulators", energy.accumulators}};
}

Json imc_clock_json(const ImcFigures& figures) {
  return {{"tclk (ns)", figures.tclk()}, {"tclk_breakdown (ns)", parts_json(figures.clock)}};
}

Json imc_area_json(const ImcFigures& figures) {
  Json memories = Json::object();
  for (const auto& [memory, area] : figures.memory_areas) memories[memory] = area;
  Json tree;
  tree["total_area"] = figures.area_total();
  // The colon is part of ZigZag's key.
  tree["total_area_breakdown:"] = {{"imc_area", figures.imc_area()}, {"mem_area", figures.mem_area()}};
  tree["total_area_breakdown_further"] = {{"imc_area_breakdown", parts_json(figures.area)},
                                          {"mem_area_breakdown", std::move(memories)}};
  return tree;
}

}  // namespace zz::core
