#include "core/output/json/evaluation_json.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;
using namespace zz::core;

namespace {

Accelerator small_accelerator() {
  Accelerator accelerator;
  accelerator.name = "small";
  accelerator.array.dimensions = {{"D1", 4}, {"D2", 2}};
  accelerator.array.unit_energy = 0.5;
  accelerator.array.unit_area = 1;
  Memory rf;
  rf.name = "rf";
  rf.size = 16;
  rf.operands = {"O"};
  rf.ports = {
      {"p", PortType::read_write, 8, 8, {{"O", Direction::read_to_low}, {"O", Direction::write_from_low}}}};
  Memory dram;
  dram.name = "dram";
  dram.size = 4096;
  dram.operands = {"I1", "O"};
  dram.served_dimensions = {"D2", "D1"};
  dram.ports = {{"p",
                 PortType::read_write,
                 8,
                 8,
                 {{"I1", Direction::read_to_low}, {"O", Direction::write_from_low}}}};
  accelerator.memories = {rf, dram};
  return accelerator;
}

Layer small_layer() {
  Layer layer;
  layer.id = 3;
  layer.name = "/fc";
  layer.type = "Gemm";
  layer.equation = "O[k] = W[k][c] * I[c]";
  layer.loops = {{"K", 8}, {"C", 2}};
  layer.operands = {{"O", {"K"}, 16, false, {}}, {"W", {"K", "C"}, 8, true, {}}, {"I", {"C"}, 8, true, {}}};
  layer.final_output_precision = 8;
  DimensionRelation& relation = layer.relations.emplace_back();
  relation.data = "IX";
  relation.stride = 2;
  relation.output_loop = "OX";
  relation.filter_loop = "FX";
  layer.mapping.spatial_mapping.dimensions = {{"D1", {{"K", 4}}}, {"D2", {}}};
  layer.mapping.memory_operands = {{"I", "I1"}, {"O", "O"}};
  return layer;
}

Evaluation small_evaluation() {
  Evaluation evaluation;
  evaluation.accelerator = std::make_shared<Accelerator>(small_accelerator());
  evaluation.layer = std::make_shared<Layer>(small_layer());
  evaluation.spatial_mapping_int =
      std::make_shared<SpatialMapping>(SpatialMapping{{{"O", {{}, {{"K", 4}}}}, {"I", {{{"K", 4}}, {}}}}});
  TemporalMapping temporal;
  temporal.loops = {{"C", 2}, {"K", 2}};
  temporal.operands = {{"O", {1, 2}, {1, 2}}, {"I", {1, 2}, {2, 2}}};
  evaluation.temporal_mapping = std::make_shared<TemporalMapping>(temporal);
  evaluation.mac_energy = 8;
  evaluation.mem_energy = 40;
  evaluation.energy_total = 48;
  evaluation.ideal_cycle = 2;
  evaluation.ideal_temporal_cycle = 4;
  evaluation.latency_total0 = 5;
  evaluation.latency_total1 = 7.5;
  evaluation.latency_total2 = 8;
  evaluation.operands = {{"O", {{"rf", 0.5, {1, 2, 3, 4}, {1, 0, 0, 0.25}, 1.25}}}};
  return evaluation;
}

std::vector<std::string> keys(const Json& map) {
  std::vector<std::string> keys;
  for (const auto& part : map.items()) keys.push_back(part.key());
  return keys;
}

}  // namespace

TEST_CASE("the complete file of a layer") {
  const Json tree = Json::parse(complete_json(small_evaluation()));
  CHECK(keys(tree) == std::vector<std::string>{"outputs", "inputs"});

  const Json& outputs = tree["outputs"];
  CHECK(keys(outputs) == std::vector<std::string>{"memory", "energy", "latency", "spatial"});
  CHECK(outputs["memory"]["utilization"].dump() == R"({"O":[0.5]})");
  CHECK(outputs["memory"]["word_accesses"].dump() ==
        R"({"O":[{"rd_out_to_low":1,"wr_in_by_low":2,"rd_out_to_high":3,"wr_in_by_high":4}]})");
  CHECK(
      outputs["energy"].dump() ==
      R"({"energy_total":48.0,"operational_energy":8.0,"memory_energy":40.0,)"
      R"("memory_energy_breakdown_per_level":{"O":[1.25]},"memory_energy_breakdown_per_level_per_operand":)"
      R"({"O":[{"rd_out_to_low":1.0,"wr_in_by_low":0.0,"rd_out_to_high":0.0,"wr_in_by_high":0.25}]}})");
  CHECK(outputs["latency"].dump() == R"({"data_onloading":2.5,"computation":5.0,"data_offloading":0.5})");
  CHECK(
      outputs["spatial"]["mac_utilization"].dump() ==
      R"({"ideal":0.5,"stalls":0.4,"stalls_onloading":0.26666666666666666,"stalls_onloading_offloading":0.25})");

  const Json& inputs = tree["inputs"];
  CHECK(keys(inputs) ==
        std::vector<std::string>{"accelerator", "layer", "spatial_mapping", "temporal_mapping"});
  CHECK(
      inputs["layer"].dump() ==
      R"({"name":"/fc","type":"Gemm","equation":"O[k] = W[k][c] * I[c]",)"
      R"("equation_relations":["IX = 2*OX + 1*FX"],"loop_dimensions":{"K":8,"C":2},)"
      R"("operand_precision":{"O":16,"W":8,"I":8,"O_final":8},"user_spatial_mapping":{"D1":{"K":4},"D2":{}},)"
      R"("memory_operand_links":{"I":"I1","O":"O"}})");
  // In the order of the memory links.
  CHECK(inputs["spatial_mapping"].dump() == R"json({"I":[["(K, 4)"],[]],"O":[[],["(K, 4)"]]})json");
  // In the stationary form.
  CHECK(inputs["temporal_mapping"].dump() ==
        R"json({"O":[["(C, 2)"],["(K, 2)"]],"I":[["(C, 2)","(K, 2)"],[]]})json");
}

TEST_CASE("the accelerator in the complete file") {
  const Json tree = Json::parse(complete_json(small_evaluation()))["inputs"]["accelerator"];
  CHECK(keys(tree) == std::vector<std::string>{"id", "name", "operational_array", "memory_hierarchy",
                                               "mem_hierarchy_dict", "dataflows", "mem_size_dict",
                                               "mem_r_bw_dict", "mem_w_bw_dict", "mem_r_bw_min_dict",
                                               "mem_w_bw_min_dict", "mem_sharing_list"});
  CHECK(tree["operational_array"].dump() ==
        R"({"operational_unit":{"energy_cost":0.5,"area":1.0},"dimensions":{"D1":4,"D2":2}})");
  CHECK(tree["memory_hierarchy"][0] == "MemoryLevel(instance=rf,operands=[O], served_dimensions=set())");
  CHECK(tree["memory_hierarchy"][1] ==
        "MemoryLevel(instance=dram,operands=[I1, O], served_dimensions={D1, D2})");
  CHECK(tree["dataflows"].is_null());
  CHECK(tree["mem_size_dict"].dump() == R"({"O":[16,4096],"I1":[4096]})");
  CHECK(tree["mem_sharing_list"].dump() == R"([{"I1":0,"O":1}])");
}

TEST_CASE("a sum has figures, but no mapping") {
  Evaluation sum;
  sum.energy_total = 3;
  sum.layer_ids = {0, 4};
  sum.metrics = {{"carbon", 1.5}};
  const Json tree = Json::parse(complete_json(sum));
  CHECK(tree["outputs"]["memory"]["utilization"].is_null());
  CHECK(tree["outputs"]["memory"]["word_accesses"].is_object());
  CHECK(tree["outputs"]["spatial"]["mac_utilization"]["ideal"].is_null());  // nought by nought
  CHECK(tree["outputs"]["metrics"]["carbon"] == 1.5);
  CHECK(tree["inputs"].dump() ==
        R"({"accelerator":null,"layer":[0,4],"spatial_mapping":null,"temporal_mapping":null})");
}

TEST_CASE("the simple file") {
  Evaluation evaluation = small_evaluation();
  CHECK(simple_json(evaluation) == "{\n    \"energy\": 48.0,\n    \"latency\": 8.0\n}\n");
  evaluation.metrics = {{"carbon", 1.5}};
  CHECK(Json::parse(simple_json(evaluation)).dump() ==
        R"({"energy":48.0,"latency":8.0,"metrics":{"carbon":1.5}})");
}
