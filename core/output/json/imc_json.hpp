#pragma once
#include "core/hardware/imc/imc_figures.hpp"
#include "core/output/json/json_writer.hpp"

namespace zz::core {

/// The blocks that result files have for in-memory computing, with ZigZag's keys.
void write_imc_energy(JsonWriter& json, const ImcEnergy& energy);   ///< "operational_energy_breakdown"
void write_imc_clock(JsonWriter& json, const ImcFigures& figures);  ///< "clock"
void write_imc_area(JsonWriter& json, const ImcFigures& figures);   ///< "area (mm^2)"

}  // namespace zz::core
