#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/imc/imc_figures.hpp"

namespace zz::core {

/// The blocks that result files have for in-memory computing, with ZigZag's keys.
nlohmann::ordered_json imc_energy_json(const ImcEnergy& energy);   ///< "operational_energy_breakdown"
nlohmann::ordered_json imc_clock_json(const ImcFigures& figures);  ///< "clock"
nlohmann::ordered_json imc_area_json(const ImcFigures& figures);   ///< "area (mm^2)"

}  // namespace zz::core
