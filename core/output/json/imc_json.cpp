#include "core/output/json/imc_json.hpp"

namespace zz::core {
namespace {

void write_parts(JsonWriter& json, const ImcParts& parts) {
  json.map([&] {
    json.entry("cells", parts.cells);
    json.entry("dacs", parts.dacs);
    json.entry("adcs", parts.adcs);
    json.entry("mults", parts.mults);
    json.entry("adders_regular", parts.adders_regular);
    json.entry("adders_pv", parts.adders_pv);
    json.entry("accumulators", parts.accumulators);
  });
}

}  // namespace

void write_imc_energy(JsonWriter& json, const ImcEnergy& energy) {
  json.map([&] {
    json.entry("local_bl_precharging", energy.local_bl_precharging);
    json.entry("dacs", energy.dacs);
    json.entry("adcs", energy.adcs);
    json.entry("mults", energy.mults);
    json.entry("analog_bl_addition", energy.analog_bl_addition);
    json.entry("adders_regular", energy.adders_regular);
    json.entry("adders_pv", energy.adders_pv);
    json.entry("accumulators", energy.accumulators);
  });
}

void write_imc_clock(JsonWriter& json, const ImcFigures& figures) {
  json.map([&] {
    json.entry("tclk (ns)", figures.tclk());
    json.key("tclk_breakdown (ns)");
    write_parts(json, figures.clock);
  });
}

void write_imc_area(JsonWriter& json, const ImcFigures& figures) {
  json.map([&] {
    json.entry("total_area", figures.area_total());
    // The colon is part of ZigZag's key.
    json.map_entry("total_area_breakdown:", [&] {
      json.entry("imc_area", figures.imc_area());
      json.entry("mem_area", figures.mem_area());
    });
    json.map_entry("total_area_breakdown_further", [&] {
      json.key("imc_area_breakdown");
      write_parts(json, figures.area);
      json.map_entry("mem_area_breakdown", [&] {
        for (const auto& [memory, area] : figures.memory_areas) json.entry(memory, area);
      });
    });
  });
}

}  // namespace zz::core
