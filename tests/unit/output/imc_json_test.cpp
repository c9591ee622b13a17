#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/output/json/evaluation_json.hpp"

using Json = nlohmann::ordered_json;
using namespace zz::core;

namespace {

Evaluation evaluation_with_imc() {
  Evaluation evaluation;
  evaluation.energy_total = 48;
  evaluation.mac_energy = 36;
  evaluation.ideal_temporal_cycle = 4;
  evaluation.latency_total0 = 5;
  evaluation.latency_total1 = 5;
  evaluation.latency_total2 = 8;
  evaluation.imc = ImcFigures{{1, 2, 3, 4, 5, 6, 7, 8},
                              {0, 0, 0.5, 0.25, 0, 0, 0},
                              {4, 0, 2, 1, 0, 0, 1},
                              {{"cells", 0.5}, {"sram", 1}}};
  return evaluation;
}

}  // namespace

TEST_CASE("in-memory computing adds clock, area and the parts of the energy to result files") {
  const Evaluation evaluation = evaluation_with_imc();
  const Json outputs = Json::parse(complete_json(evaluation))["outputs"];
  CHECK(outputs["energy"]["operational_energy_breakdown"].dump() ==
        R"json({"local_bl_precharging":1.0,"dacs":2.0,"adcs":3.0,"mults":4.0,"analog_bl_addition":5.0,)json"
        R"json("adders_regular":6.0,"adders_pv":7.0,"accumulators":8.0})json");
  CHECK(outputs["latency"].dump() ==
        R"json({"data_onloading":0.0,"computation":5.0,"data_offloading":3.0,)json"
        R"json("computation_breakdown":{"mac_computation":4.0,"memory_stalling":1.0}})json");
  CHECK(
      outputs["clock"].dump() ==
      R"json({"tclk (ns)":0.75,"tclk_breakdown (ns)":{"cells":0.0,"dacs":0.0,"adcs":0.5,"mults":0.25,)json"
      R"json("adders_regular":0.0,"adders_pv":0.0,"accumulators":0.0}})json");
  CHECK(
      outputs["area (mm^2)"].dump() ==
      R"json({"total_area":9.5,"total_area_breakdown:":{"imc_area":8.0,"mem_area":1.5},)json"
      R"json("total_area_breakdown_further":{"imc_area_breakdown":{"cells":4.0,"dacs":0.0,"adcs":2.0,"mults":1.0,)json"
      R"json("adders_regular":0.0,"adders_pv":0.0,"accumulators":1.0},)json"
      R"json("mem_area_breakdown":{"cells":0.5,"sram":1.0}}})json");
  CHECK(Json::parse(simple_json(evaluation)).dump() ==
        R"json({"energy":48.0,"latency":8.0,"tclk (ns)":0.75,"area":9.5})json");
}

TEST_CASE("result files of plain multipliers have none of it") {
  Evaluation evaluation = evaluation_with_imc();
  evaluation.imc.reset();
  const Json outputs = Json::parse(complete_json(evaluation))["outputs"];
  CHECK_FALSE(outputs.contains("clock"));
  CHECK_FALSE(outputs.contains("area (mm^2)"));
  CHECK_FALSE(outputs["energy"].contains("operational_energy_breakdown"));
  CHECK_FALSE(outputs["latency"].contains("computation_breakdown"));
  CHECK(Json::parse(simple_json(evaluation)).size() == 2);
}
