// Array figures and layer energies of ZigZag's recorded runs, from the unrollings that they chose.
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/hardware/imc/imc_array.hpp"
#include "core/hardware/imc/imc_layer_energy.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "tests/unit/worlds/recorded.hpp"

namespace {

using namespace zz::core;
using Json = nlohmann::ordered_json;

void check_parts(const ImcParts& parts, const Json& recorded) {
  const auto check = [&](const char* name, double value) {
    CAPTURE(name);
    CHECK(value == doctest::Approx(recorded.at(name).get<double>()).epsilon(1e-9));
  };
  check("cells", parts.cells);
  check("dacs", parts.dacs);
  check("adcs", parts.adcs);
  check("mults", parts.mults);
  check("adders_regular", parts.adders_regular);
  check("adders_pv", parts.adders_pv);
  check("accumulators", parts.accumulators);
}

void check_energy(const ImcEnergy& energy, const Json& recorded) {
  const auto check = [&](const char* name, double value) {
    CAPTURE(name);
    CHECK(value == doctest::Approx(recorded.at(name).get<double>()).epsilon(1e-9));
  };
  check("local_bl_precharging", energy.local_bl_precharging);
  check("dacs", energy.dacs);
  check("adcs", energy.adcs);
  check("mults", energy.mults);
  check("analog_bl_addition", energy.analog_bl_addition);
  check("adders_regular", energy.adders_regular);
  check("adders_pv", energy.adders_pv);
  check("accumulators", energy.accumulators);
}

SpatialUnrolling unrolling_of(const Json& recorded) {
  SpatialUnrolling unrolling;
  for (const auto& [array_dimension, loops] : recorded.items()) {
    ArrayUnrolling& along = unrolling.dimensions.emplace_back();
    along.array_dimension = array_dimension;
    for (const auto& [loop, factor] : loops.items())
      along.loops.push_back({loop, static_cast<std::int64_t>(factor.get<double>())});
  }
  return unrolling;
}

void check_case(const std::filesystem::path& oracle, const char* name) {
  CAPTURE(name);
  const Json recorded = Json::parse(std::ifstream(oracle / "cases" / (std::string(name) + ".json")));
  const auto input = [&](const char* key) {
    return (oracle / "inputs" / recorded.at(key).get<std::string>()).string();
  };
  Diagnostics diagnostics;
  const Accelerator accelerator = read_accelerator(input("accelerator"), diagnostics);
  const MappingFile mapping = read_mapping(input("mapping"), diagnostics);
  const Rules rules = rules_of("zigzag-3.8.5");
  const Workload workload = input("workload").ends_with(".onnx")
                                ? read_onnx(input("workload"), mapping, rules, diagnostics)
                                : read_workload(input("workload"), mapping, rules, diagnostics);
  const ImcArray array(accelerator);
  for (const Json& layer_record : recorded.at("layers")) {
    const Layer* found = workload.layer(layer_record.at("id").get<std::int64_t>());
    REQUIRE(found != nullptr);
    Layer layer = *found;
    CAPTURE(layer.name);
    layer.mapping.spatial_mapping = unrolling_of(layer_record.at("user_spatial_mapping"));
    check_energy(ImcLayerEnergy(accelerator, layer).with_repeats(1),
                 layer_record.at("mac_energy_breakdown"));
    const ImcFigures figures = array.figures(accelerator);
    check_parts(figures.clock, layer_record.at("tclk_breakdown"));
    check_parts(figures.area, layer_record.at("imc_area_breakdown"));
    CHECK(figures.tclk() == doctest::Approx(layer_record.at("tclk").get<double>()).epsilon(1e-9));
    CHECK(figures.area_total() ==
          doctest::Approx(layer_record.at("area_total").get<double>()).epsilon(1e-9));
    CHECK(array.cycles_per_operation() == layer_record.at("cycles_per_op").get<double>());
  }
}

}  // namespace

TEST_CASE("recorded in-memory-computing runs: energy of each layer, clock and area") {
  const std::filesystem::path oracle = zz::test::oracle_path();
  if (!std::filesystem::is_directory(oracle / "cases")) {
    MESSAGE("skipped: no recorded cases at " << oracle.string());
    return;
  }
  for (const char* name :
       {"aimc__mini_cnn__latency", "aimc__mini_cnn__energy", "aimc__resnet18_yaml", "aimc__resnet18_onnx",
        "dimc__mini_cnn__latency", "dimc__resnet18_yaml", "dimc__resnet18_onnx"}) {
    check_case(oracle, name);
  }
}
