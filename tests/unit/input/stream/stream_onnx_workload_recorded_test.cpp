// Networks for several cores, compared field by field with what Stream 0.0.8 made of the same files.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"

namespace {

using nlohmann::json;
using namespace zz::core;

std::filesystem::path stream_oracle() {
  return std::filesystem::path(ZZ_SOURCE_DIR).parent_path() / "shared" / "oracle" / "stream";
}

Workload read(const json& record, const Rules& rules) {
  const OnnxSettings as_stream{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}, {}};
  const auto inputs = stream_oracle() / "inputs";
  Diagnostics diagnostics;
  const MappingFile mapping =
      read_mapping((inputs / record["inputs"]["mapping"].get<std::string>()).string(), diagnostics);
  const std::string file = (inputs / record["inputs"]["workload"].get<std::string>()).string();
  return std::filesystem::path(file).extension() == ".onnx"
             ? read_stream_onnx(file, mapping, rules, diagnostics, as_stream)
             : read_stream_workload(file, mapping, rules, diagnostics);
}

/// Numbers by which splitting may have made a loop divisible before the record was taken.
std::set<std::int64_t> cuts_of(const json& record, const std::string& loop) {
  std::set<std::int64_t> cuts = {1};
  const auto add = [&](const json& hints) {
    for (const json& hint : hints)
      if (hint[0] == loop && hint[1].is_number()) cuts.insert(hint[1].get<std::int64_t>());
  };
  const json& hints = record["parameters"]["hint_loops"];
  if (hints.is_array()) add(hints);
  if (hints.is_object())
    for (const json& some : hints) add(some);
  return cuts;
}

void check_loops(const Layer& layer, const json& node, const json& record) {
  const json& sizes = node["layer_dim_sizes"];
  REQUIRE(sizes.size() == layer.loops.size());
  for (const LoopDimension& loop : layer.loops) {
    CAPTURE(loop.name);
    REQUIRE(sizes.contains(loop.name));
    const auto recorded = sizes[loop.name].get<std::int64_t>();
    const std::set<std::int64_t> cuts = cuts_of(record, loop.name);
    CHECK(std::any_of(cuts.begin(), cuts.end(),
                      [&](std::int64_t cut) { return recorded == (loop.size + cut - 1) / cut * cut; }));
  }
}

void check_stream_relations(const Layer& layer, const json& node) {
  json texts = json::array(), sizes = json::object(), padding = json::object();
  for (const DimensionRelation& relation : layer.relations) {
    texts.push_back(relation.data + " = " + std::to_string(relation.stride) + "*" + relation.output_loop +
                    " + " + std::to_string(relation.dilation) + "*" + relation.filter_loop);
    sizes[relation.data] = relation.size;
    if (relation.has_padding) padding[relation.data] = {relation.padding_low, relation.padding_high};
  }
  CHECK(texts == node["dimension_relations"]);
  CHECK(sizes == node["pr_layer_dim_sizes"]);
  CHECK(padding == node["padding"]);
}

void check_stream_operands(const Layer& layer, const json& node) {
  json precisions = json::object(), links = json::object(), constants = json::array(),
       sources = json::object();
  precisions["O_final"] = layer.final_output_precision;
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    precisions[layer.operands[i].name] = layer.operands[i].precision;
    links[layer.operands[i].name] = layer.memory_operand(static_cast<int>(i));
  }
  for (const int i : layer.source_order) {
    const LayerOperand& operand = layer.operands[static_cast<std::size_t>(i)];
    if (operand.constant) constants.push_back(operand.name);
    for (const std::int64_t source : operand.sources) sources[operand.name] = source;
  }
  CHECK(precisions == node["operand_precision"]);
  CHECK(links == node["memory_operand_links"]);
  CHECK(constants == node["constant_operands"]);
  CHECK(sources == node["input_operand_source"]);
}

void check_layer(const Layer& layer, const json& node, const json& record) {
  CHECK(layer.name == node["name"].get<std::string>());
  CHECK(layer.type == node["type"].get<std::string>());
  CHECK(layer.equation == node["equation"].get<std::string>());
  check_loops(layer, node, record);
  check_stream_relations(layer, node);
  check_stream_operands(layer, node);
  CHECK(json(layer.mapping.core_allocation) == node["possible_core_allocation"]);
}

const char* class_of(const PassThroughNode& node) {
  switch (node.shape_change.kind) {
    case ShapeChange::Kind::reshape:
      return "ReshapeNode";
    case ShapeChange::Kind::transpose:
      return "TransposeNode";
    case ShapeChange::Kind::flatten:
      return "FlattenNode";
    case ShapeChange::Kind::gather:
      return "GatherNode";
    case ShapeChange::Kind::concat:
      return "ConcatConstantNode";
    default:
      break;
  }
  return "DummyNode";
}

void check_pass_through(const PassThroughNode& node, const json& expected) {
  CHECK(class_of(node) == expected["class"].get<std::string>());
  std::vector<std::int64_t> sources;
  for (const json& source : expected["input_operand_source"]) sources.push_back(source.get<std::int64_t>());
  CHECK(node.sources == sources);
}

void check_case(const json& record) {
  const Workload workload = read(record, rules_of("stream-0.0.8"));
  std::map<std::int64_t, std::vector<std::int64_t>> successors;
  for (const auto& [from, to] : workload.edges) successors[from].push_back(to);
  REQUIRE(workload.node_order.size() == record["layers"].size());
  for (std::size_t i = 0; i < workload.node_order.size(); ++i) {
    const json& node = record["layers"][i];
    const std::int64_t id = workload.node_order[i];
    CAPTURE(id);
    REQUIRE(id == node["id"].get<std::int64_t>());
    CHECK(json(successors[id]) == node["successors"]);
    if (const Layer* layer = workload.layer(id)) {
      check_layer(*layer, node, record);
      continue;
    }
    const auto pass = std::find_if(workload.pass_through.begin(), workload.pass_through.end(),
                                   [&](const PassThroughNode& candidate) { return candidate.id == id; });
    REQUIRE(pass != workload.pass_through.end());
    check_pass_through(*pass, node);
  }
}

/// Checks the changes by the default in the recorded networks: nothing but pooling and what entries mean.
void check_default(const json& record) {
  const Workload compat = read(record, rules_of("stream-0.0.8"));
  const Workload workload = read(record, {});
  CHECK(workload.node_order == compat.node_order);
  CHECK(workload.edges == compat.edges);
  REQUIRE(workload.layers.size() == compat.layers.size());
  for (std::size_t i = 0; i < workload.layers.size(); ++i) {
    const Layer &layer = *workload.layers[i], &original = *compat.layers[i];
    CAPTURE(layer.name);
    CHECK(layer.relations == original.relations);
    CHECK(layer.operands == original.operands);
    CHECK(layer.source_order == original.source_order);
    CHECK((layer.loops == original.loops) == (layer.loop_index("C") == original.loop_index("C")));
    if (layer.type != "pooling") CHECK(layer.loops == original.loops);
  }
}

}  // namespace

TEST_CASE("networks for several cores are read as Stream reads them") {
  const auto cases = stream_oracle() / "cases";
  if (!std::filesystem::exists(cases)) {
    MESSAGE("skipped: there are no recorded results at " << cases.string());
    return;
  }
  std::set<std::pair<std::string, std::string>> seen_by_default;
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cases)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const json record = json::parse(file);
    if (!record.contains("layers")) continue;
    CAPTURE(entry.path().filename().string());
    check_case(record);
    if (seen_by_default.emplace(record["inputs"]["workload"], record["inputs"]["mapping"]).second)
      check_default(record);
    ++compared;
  }
  CHECK(compared > 40);
}
