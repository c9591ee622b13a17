// Networks read from ONNX, compared field by field with what ZigZag 3.8.5 made of the same files.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/input/onnx/onnx_fixture.hpp"

namespace {

using nlohmann::json;
using zz::core::DimensionRelation;
using zz::core::Layer;
using zz::core::Relevancy;
using zz::core::Workload;

const std::filesystem::path oracle =
    std::filesystem::path(ZZ_SOURCE_DIR) / ".." / "shared" / "oracle" / "zigzag";

std::string relation_text(const DimensionRelation& relation) {
  return relation.data + " = " + std::to_string(relation.stride) + "*" + relation.output_loop + " + " +
         std::to_string(relation.dilation) + "*" + relation.filter_loop;
}

std::set<std::string> as_set(const json& list) { return {list.begin(), list.end()}; }

void compare_relations(const Layer& layer, const json& expected) {
  json texts = json::array(), sizes = json::object(), factors = json::object(), padding = json::object();
  for (const DimensionRelation& relation : layer.relations) {
    texts.push_back(relation_text(relation));
    sizes[relation.data] = relation.size;
    factors[relation.data] = json::array({json::array({relation.output_loop, relation.stride}),
                                          json::array({relation.filter_loop, relation.dilation})});
    if (relation.has_padding) padding[relation.data] = {relation.padding_low, relation.padding_high};
  }
  CHECK(texts == expected["dimension_relations"]);
  CHECK(sizes == expected["pr_layer_dim_sizes"]);
  CHECK(factors == expected["pr_scaling_factors"]);
  CHECK(padding == expected["padding"]);
}

void compare_operands(const Layer& layer, const json& expected) {
  json names = json::array(), precisions = json::object(), sources = json::object(), links = json::object();
  std::set<std::string> constants;
  precisions["O_final"] = layer.final_output_precision;
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    const auto& operand = layer.operands[i];
    const int index = static_cast<int>(i);
    names.push_back(operand.name);
    precisions[operand.name] = operand.precision;
    links[operand.name] = layer.memory_operand(index);
    if (operand.constant) constants.insert(operand.name);
    if (operand.sources.size() == 1) sources[operand.name] = operand.sources[0];
    CHECK(operand.sources.size() <= 1);
    CHECK(layer.operand_elements(index, zz::core::rules_of("zigzag-3.8.5")) ==
          expected["operand_size_elem"][operand.name].get<std::int64_t>());
    CHECK(layer.operand_bits(index, zz::core::rules_of("zigzag-3.8.5")) ==
          expected["operand_size_bit"][operand.name].get<std::int64_t>());
    const double reuse = static_cast<double>(layer.mac_count()) /
                         layer.operand_elements(index, zz::core::rules_of("zigzag-3.8.5"));
    CHECK(reuse == expected["operand_data_reuse"][operand.name].get<double>());
  }
  CHECK(names == expected["layer_operands"]);
  CHECK(precisions == expected["operand_precision"]);
  CHECK(sources == expected["input_operand_source"]);
  CHECK(links == expected["memory_operand_links"]);
  CHECK(constants == as_set(expected["constant_operands"]));
}

void compare_relevancy(const Layer& layer, const json& expected) {
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    const std::string& name = layer.operands[i].name;
    std::map<Relevancy, std::set<std::string>> found;
    for (std::size_t loop = 0; loop < layer.loops.size(); ++loop) {
      found[layer.relevancy(static_cast<int>(i), static_cast<int>(loop))].insert(layer.loops[loop].name);
    }
    std::set<std::string> partially;
    for (const auto& [data, loops] : expected["pr"][name].items())
      partially.insert(loops.begin(), loops.end());
    CHECK(found[Relevancy::relevant] == as_set(expected["r"][name]));
    CHECK(found[Relevancy::irrelevant] == as_set(expected["ir"][name]));
    CHECK(found[Relevancy::partially_relevant] == partially);
  }
}

void compare_layer(const Layer& layer, const json& expected) {
  CHECK(layer.name == expected["name"].get<std::string>());
  CHECK(layer.type == expected["type"].get<std::string>());
  CHECK(layer.equation == expected["equation"].get<std::string>());
  json order = json::array(), sizes = json::object();
  for (const auto& loop : layer.loops) {
    order.push_back(loop.name);
    sizes[loop.name] = loop.size;
  }
  CHECK(order == expected["loop_dim_order"]);
  CHECK(sizes == expected["loop_dims"]);
  CHECK(layer.mac_count() == expected["total_mac_count"].get<std::int64_t>());
  compare_relations(layer, expected);
  compare_operands(layer, expected);
  compare_relevancy(layer, expected["relevancy"]);
}

void compare_pass_through(const zz::core::PassThroughNode& node, const json& expected) {
  CHECK(node.name == expected["name"].get<std::string>());
  CHECK(node.type == expected["type"].get<std::string>());
  json sources = json::object();
  const char* const operands[] = {"I", "W"};
  REQUIRE(node.sources.size() <= 2);
  for (std::size_t i = 0; i < node.sources.size(); ++i) sources[operands[i]] = node.sources[i];
  CHECK(sources == expected["input_operand_source"]);
}

using Edges = std::set<std::pair<std::int64_t, std::int64_t>>;

// For each pass-through node, in order, every producer is joined with every consumer.
Edges edges_between_layers(const Workload& workload) {
  Edges edges(workload.edges.begin(), workload.edges.end());
  for (const auto& node : workload.pass_through) {
    Edges next;
    for (const auto& [from, to] : edges) {
      if (from != node.id && to != node.id) next.emplace(from, to);
      if (to != node.id) continue;
      for (const auto& [middle, end] : edges) {
        if (middle == node.id) next.emplace(from, end);
      }
    }
    edges = next;
  }
  return edges;
}

void compare_graph(const Workload& workload, const json& expected) {
  std::vector<std::int64_t> processed;
  for (const auto& layer : workload.layers_in_order()) processed.push_back(layer->id);
  CHECK(Edges(workload.edges.begin(), workload.edges.end()) == expected["edges"].get<Edges>());
  CHECK(workload.edges.size() == expected["edges"].size());
  CHECK(workload.topological_order() == expected["topological_order"].get<std::vector<std::int64_t>>());
  CHECK(processed == expected["layer_order_processed"].get<std::vector<std::int64_t>>());
  CHECK(edges_between_layers(workload) == expected["edges_without_dummies"].get<Edges>());
}

void compare_network(const std::string& name, bool zigzag_compat) {
  const auto recorded = oracle / "parsing" / (name + "_onnx.json");
  const auto model = oracle / "inputs" / "workload" / (name + ".onnx");
  if (!std::filesystem::exists(recorded) || !std::filesystem::exists(model)) {
    MESSAGE("skipped: there are no recorded results at ", oracle.string());
    return;
  }
  std::ifstream file(recorded);
  const json expected = json::parse(file);
  zz::core::Diagnostics diagnostics;
  const Workload workload = zz::core::read_onnx(
      model.string(), zz::test::default_mapping(),
      zigzag_compat ? zz::core::rules_of("zigzag-3.8.5") : zz::test::zigzag_operators, diagnostics);

  CHECK(workload.name == name);
  std::size_t layers = 0, pass_through = 0;
  for (const json& node : expected["nodes"]) {
    CAPTURE(node["name"].get<std::string>());
    if (node["node_kind"] == "layer") {
      const Layer* layer = workload.layer(node["id"].get<std::int64_t>());
      REQUIRE(layer != nullptr);
      compare_layer(*layer, node);
      ++layers;
    } else {
      REQUIRE(pass_through < workload.pass_through.size());
      CHECK(workload.pass_through[pass_through].id == node["id"].get<std::int64_t>());
      compare_pass_through(workload.pass_through[pass_through++], node);
    }
  }
  CHECK(workload.layers.size() == layers);
  CHECK(workload.pass_through.size() == pass_through);
  CHECK(workload.node_order.size() == expected["nodes"].size());
  compare_graph(workload, expected);
}

}  // namespace

TEST_CASE("ONNX networks are read as ZigZag reads them") {
  for (const char* name : {"alexnet", "mobilenetv2", "resnet18"}) {
    for (const bool zigzag_compat : {false, true}) {
      CAPTURE(name);
      CAPTURE(zigzag_compat);
      compare_network(name, zigzag_compat);
    }
  }
}
