#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "tests/unit/worlds/recorded.hpp"

// Every field that was recorded of ZigZag's parsed workloads against what our reader makes of the same
// file.

namespace {

using nlohmann::json;
using namespace zz::core;

std::set<std::string> names_in(const json& list) { return list.get<std::set<std::string>>(); }

void check_loops(const Layer& layer, const json& node) {
  std::vector<std::string> order;
  for (const LoopDimension& loop : layer.loops) {
    order.push_back(loop.name);
    CHECK(loop.size == node["loop_dims"][loop.name].get<std::int64_t>());
  }
  CHECK(order == node["loop_dim_order"].get<std::vector<std::string>>());
}

void check_relations(const Layer& layer, const json& node) {
  std::vector<std::string> texts;
  json sizes = json::object(), factors = json::object(), padding = json::object();
  for (const DimensionRelation& relation : layer.relations) {
    texts.push_back(relation.data + " = " + std::to_string(relation.stride) + "*" + relation.output_loop +
                    " + " + std::to_string(relation.dilation) + "*" + relation.filter_loop);
    sizes[relation.data] = relation.size;
    factors[relation.data] = json::array({json::array({relation.output_loop, relation.stride}),
                                          json::array({relation.filter_loop, relation.dilation})});
    if (relation.has_padding) {
      padding[relation.data] = json::array({relation.padding_low, relation.padding_high});
    }
  }
  CHECK(texts == node["dimension_relations"].get<std::vector<std::string>>());
  CHECK(sizes == node["pr_layer_dim_sizes"]);
  CHECK(factors == node["pr_scaling_factors"]);
  CHECK(padding == node["padding"]);
}

void check_relevancy(const Layer& layer, int operand, const json& relevancy) {
  const std::string& name = layer.operands[operand].name;
  std::set<std::string> relevant, irrelevant, partial;
  for (int loop = 0; loop < static_cast<int>(layer.loops.size()); ++loop) {
    const std::string& dimension = layer.loops[loop].name;
    switch (layer.relevancy(operand, loop)) {
      case Relevancy::none:
        break;
      case Relevancy::relevant:
        relevant.insert(dimension);
        break;
      case Relevancy::irrelevant:
        irrelevant.insert(dimension);
        break;
      case Relevancy::partially_relevant:
        partial.insert(dimension);
        break;
    }
  }
  CHECK(relevant == names_in(relevancy["r"][name]));
  CHECK(irrelevant == names_in(relevancy["ir"][name]));
  std::set<std::string> recorded_partial;
  for (const auto& [data, loops] : relevancy["pr"][name].items()) {
    for (const json& loop : loops) recorded_partial.insert(loop.get<std::string>());
  }
  CHECK(partial == recorded_partial);
}

void check_operands(const Layer& layer, const json& node) {
  std::vector<std::string> order;
  std::set<std::string> constants;
  std::map<std::string, std::int64_t> sources;
  for (int operand = 0; operand < static_cast<int>(layer.operands.size()); ++operand) {
    const LayerOperand& it = layer.operands[operand];
    order.push_back(it.name);
    if (it.constant) constants.insert(it.name);
    for (const std::int64_t source : it.sources) sources[it.name] = source;
    CHECK(it.precision == node["operand_precision"][it.name].get<std::int64_t>());
    CHECK(layer.memory_operand(operand) == node["memory_operand_links"][it.name].get<std::string>());
    CHECK(layer.operand_elements(operand, rules_of("zigzag-3.8.5")) ==
          node["operand_size_elem"][it.name].get<std::int64_t>());
    CHECK(layer.operand_bits(operand, rules_of("zigzag-3.8.5")) ==
          node["operand_size_bit"][it.name].get<std::int64_t>());
    CHECK(static_cast<double>(layer.mac_count()) /
              static_cast<double>(layer.operand_elements(operand, rules_of("zigzag-3.8.5"))) ==
          doctest::Approx(node["operand_data_reuse"][it.name].get<double>()).epsilon(1e-12));
    check_relevancy(layer, operand, node["relevancy"]);
  }
  CHECK(order == node["layer_operands"].get<std::vector<std::string>>());
  CHECK(constants == names_in(node["constant_operands"]));
  CHECK(json(sources) == node["input_operand_source"]);
  CHECK(layer.final_output_precision == node["operand_precision"]["O_final"].get<std::int64_t>());
}

void check_file(const std::string& record_name) {
  const auto oracle = zz::test::oracle_path();
  std::ifstream file(oracle / "parsing" / (record_name + ".json"));
  if (!file) {
    MESSAGE("skipped: no recorded results at " << (oracle / "parsing").string());
    return;
  }
  const json record = json::parse(file);
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping(
      (oracle / "inputs" / record["mapping_used_while_parsing"].get<std::string>()).string(), diagnostics);
  const Workload workload = read_workload(
      (oracle / "inputs" / record["workload"].get<std::string>()).string(), mapping, {}, diagnostics);
  CHECK(diagnostics.all().empty());

  REQUIRE(workload.layers.size() == record["nodes"].size());
  CHECK(workload.pass_through.empty());
  for (std::size_t i = 0; i < workload.layers.size(); ++i) {
    const Layer& layer = *workload.layers[i];
    const json& node = record["nodes"][i];
    CAPTURE(layer.name);
    CHECK(layer.id == node["id"].get<std::int64_t>());
    CHECK(layer.name == node["name"].get<std::string>());
    CHECK(layer.type == node["type"].get<std::string>());
    CHECK(layer.equation == node["equation"].get<std::string>());
    CHECK(layer.mac_count() == node["total_mac_count"].get<std::int64_t>());
    check_loops(layer, node);
    check_relations(layer, node);
    check_operands(layer, node);
  }
  CHECK(std::set(workload.edges.begin(), workload.edges.end()) ==
        record["edges"].get<std::set<std::pair<std::int64_t, std::int64_t>>>());
  CHECK(workload.topological_order() == record["topological_order"].get<std::vector<std::int64_t>>());
  std::vector<std::int64_t> processed;
  for (const auto& layer : workload.layers_in_order()) processed.push_back(layer->id);
  CHECK(processed == record["layer_order_processed"].get<std::vector<std::int64_t>>());
}

}  // namespace

TEST_CASE("a parsed YAML workload equals ZigZag's in every recorded field") {
  SUBCASE("gemm_layer") { check_file("gemm_layer_yaml"); }
  SUBCASE("mini_cnn") { check_file("mini_cnn_yaml"); }
  SUBCASE("resnet18") { check_file("resnet18_yaml"); }
}
