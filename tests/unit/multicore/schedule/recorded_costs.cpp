#include "tests/unit/multicore/schedule/recorded_costs.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "core/base/diagnostics.hpp"
#include "core/cost/boundary_table.hpp"
#include "core/cost/cost_model.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "tests/unit/files/text_of.hpp"

namespace zz::test {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using namespace core;

const std::filesystem::path oracle = ZZ_SOURCE_DIR "/../shared/oracle/stream";

/// "O[b][k] = W[k][c] * I[b][c]": names and dimensions of the operands.
std::vector<LayerOperand> operands_of(const std::string& equation) {
  std::vector<LayerOperand> operands;
  for (std::size_t i = 0; i < equation.size();) {
    if (std::isupper(static_cast<unsigned char>(equation[i])) == 0) {
      ++i;
      continue;
    }
    LayerOperand& operand = operands.emplace_back();
    operand.name = equation[i++];
    while (i < equation.size() && equation[i] == '[') {
      const std::size_t end = equation.find(']', i);
      std::string dimension = equation.substr(i + 1, end - i - 1);
      std::transform(dimension.begin(), dimension.end(), dimension.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      operand.dimensions.push_back(dimension);
      i = end + 1;
    }
  }
  return operands;
}

/// "IX = 2*OX + 1*FX".
DimensionRelation relation_of(const std::string& text, const OrderedJson& layer) {
  char data[8];
  char output[8];
  char filter[8];
  long stride = 0;
  long dilation = 0;
  if (std::sscanf(text.c_str(), "%7s = %ld*%7s + %ld*%7s", data, &stride, output, &dilation, filter) != 5)
    throw std::runtime_error("no relation: " + text);
  DimensionRelation relation{data, stride, output, dilation, filter};
  relation.size = layer["pr_layer_dim_sizes"][data];
  relation.has_padding = layer["padding"].contains(data);
  if (relation.has_padding) {
    relation.padding_low = layer["padding"][data][0];
    relation.padding_high = layer["padding"][data][1];
  }
  return relation;
}

Layer layer_of(const OrderedJson& recorded) {
  Layer layer;
  layer.id = recorded["id"];
  layer.name = recorded["name"];
  layer.type = recorded["type"];
  layer.equation = recorded["equation"];
  for (const auto& [loop, size] : recorded["layer_dim_sizes"].items())
    layer.loops.push_back({loop, size.get<std::int64_t>()});
  for (const OrderedJson& text : recorded["dimension_relations"])
    layer.relations.push_back(relation_of(text, recorded));
  layer.operands = operands_of(layer.equation);
  for (LayerOperand& operand : layer.operands) {
    operand.precision = recorded["operand_precision"].value(operand.name, std::int64_t{0});
    for (const OrderedJson& name : recorded["constant_operands"])
      operand.constant = operand.constant || name == operand.name;
  }
  layer.final_output_precision = recorded["operand_precision"]["O_final"];
  for (const auto& [operand, memory_operand] : recorded["memory_operand_links"].items())
    layer.mapping.memory_operands.push_back({operand, memory_operand});
  layer.mapping.core_allocation = recorded["possible_core_allocation"].get<std::vector<std::int64_t>>();
  return layer;
}

std::shared_ptr<const ComputationNodeGraph> graph_of(const OrderedJson& layers, const Json& rows,
                                                     const Json& nodes) {
  auto graph = std::make_shared<ComputationNodeGraph>();
  std::map<std::int64_t, int> index;
  for (const OrderedJson& recorded : layers) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Json& r) {
      return r["layer_id"] == recorded["id"].get<int>();
    });
    if (row == rows.end()) continue;
    CutLayer& cut_layer = graph->layers.emplace_back();
    Layer whole = layer_of(recorded);
    Layer piece = whole;
    for (LoopDimension& loop : piece.loops) loop.size = (*row)["loop_dim_sizes"][loop.name];
    index[whole.id] = static_cast<int>(graph->layers.size()) - 1;
    cut_layer.node_count = (*row)["nb_cns"];
    cut_layer.layer = std::make_shared<Layer>(std::move(whole));
    cut_layer.piece = std::make_shared<Layer>(std::move(piece));
  }
  for (std::size_t layer = 0; layer < graph->layers.size(); ++layer) {
    graph->layers[layer].first_node = static_cast<int>(graph->nodes.size());
    for (int sub_id = 0; sub_id < graph->layers[layer].node_count; ++sub_id) {
      ComputationNode& node = graph->nodes.emplace_back();
      node.layer = static_cast<int>(layer);
      node.sub_id = sub_id;
    }
  }
  const auto node_of = [&](const Json& id, const Json& sub_id) {
    return graph->layers[index.at(id)].first_node + sub_id.get<int>();
  };
  for (const Json& edge : nodes["edges"]) {
    Dependency& dependency = graph->dependencies.emplace_back();
    dependency.from = node_of(edge[0], edge[1]);
    dependency.to = node_of(edge[2], edge[3]);
    if (edge[4].is_string())
      dependency.operand = graph->layers[index.at(edge[2])].piece->operand_index(edge[4]);
    dependency.bits = edge[5];
  }
  for (const Json& node : nodes["node_insertion_order"])
    graph->node_order.push_back(node_of(node[0], node[1]));
  graph->index();
  return graph;
}

}  // namespace

std::vector<std::string> cases_with_costs() {
  std::vector<std::string> names;
  const std::string ending = ".detail.json.gz";
  std::error_code absent;
  for (const auto& file : std::filesystem::directory_iterator(oracle / "cases", absent)) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

RecordedCosts::RecordedCosts(const std::string& name) {
  const std::string text = text_of(oracle / "cases" / (name + ".json"));
  const Json recorded = Json::parse(text);
  rows = recorded["intra_core_costs"];
  factor_limit = recorded["parameters"]["loma_lpf_limit"];
  Diagnostics diagnostics;
  const std::filesystem::path file =
      oracle / "inputs" / recorded["inputs"]["accelerator"].get<std::string>();
  accelerator = std::make_shared<MultiCoreAccelerator>(read_multi_core(file.string(), diagnostics));
  const Json details = Json::parse(text_of(oracle / "cases" / (name + ".detail.json.gz")));
  graph = graph_of(OrderedJson::parse(text)["layers"], rows, details["cn_graph"]);
}

std::shared_ptr<const Evaluation> answer(const CoreCostQuestion& question, int factor_limit,
                                         bool as_stream) {
  const Rules rules = rules_of(as_stream ? "stream-0.0.8" : "");
  std::shared_ptr<Evaluation> best;
  const auto better = [](const auto& a, const auto& b) {
    return a.latency_total2 < b.latency_total2 ||
           (a.latency_total2 == b.latency_total2 && a.energy_total < b.energy_total);
  };
  const SpatialCandidates candidates =
      generate_spatial_mappings(*question.layer, *question.accelerator, {.rules = rules});
  for (const SpatialUnrolling& unrolling : candidates.mappings) {
    auto layer = std::make_shared<Layer>(*question.layer);
    layer->mapping.spatial_mapping = unrolling;
    ConvertedSpatialMapping converted = convert_spatial_mapping(*layer, *question.accelerator, rules);
    const auto fractional = std::make_shared<SpatialMapping>(std::move(converted.fractional));
    const auto integral = std::make_shared<SpatialMapping>(std::move(converted.integral));
    Loma search(layer, question.accelerator, fractional, {.factor_limit = factor_limit, .rules = rules});
    const CostModel model(question.accelerator, layer, fractional, integral, {.rules = rules});
    std::optional<BoundaryTable> table;
    Score best_score;
    std::shared_ptr<TemporalMapping> mapping;
    CompactMappings batch;
    for (search.next(batch, 256); !batch.rows.empty(); search.next(batch, 256)) {
      if (batch.lattice && !table) table.emplace(model, batch.lattice);
      for (std::size_t row = 0; row < batch.rows.size(); ++row) {
        const Score score = table ? table->score(batch.rows[row]) : model.score(batch.rows[row]);
        if (std::isnan(score.latency_total2) || (mapping && !better(score, best_score))) continue;
        best_score = score;
        mapping = std::make_shared<TemporalMapping>(batch.mapping(row));
      }
    }
    if (!mapping) continue;
    Evaluation found = model.evaluate(mapping);
    if (!best || better(found, *best)) best = std::make_shared<Evaluation>(std::move(found));
  }
  return best;
}

}  // namespace zz::test
