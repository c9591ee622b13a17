#include "tests/unit/worlds/searches.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/cost/boundary_table.hpp"
#include "core/cost/cost_model.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/multicore/graph/split.hpp"
#include "core/multicore/schedule/core_costs.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"

namespace zz::test {
namespace {

using namespace core;
using Loops = std::vector<CutLoop>;

ComputationNodeGraph cut_graph(const Workload& workload, const MultiCoreAccelerator& accelerator,
                               const std::vector<Loops>& cuts) {
  std::vector<std::int64_t> ids;
  for (const auto& layer : workload.layers) ids.push_back(layer->id);
  std::sort(ids.begin(), ids.end());
  SplitOptions options;
  options.mode = split_by_layer;
  for (std::size_t i = 0; i < ids.size(); ++i) options.cut_entries.push_back({{ids[i]}, cuts[i]});
  std::vector<std::string> warnings;
  return split_into_nodes(workload, accelerator, options, warnings);
}

}  // namespace

PartitionSpace::PartitionSpace(Workload given_workload, MultiCoreAccelerator given_accelerator,
                               const std::function<std::vector<Loops>(const Layer&)>& cuts,
                               int factor_limit)
    : workload(std::move(given_workload)),
      accelerator(std::make_shared<const MultiCoreAccelerator>(std::move(given_accelerator))) {
  std::vector<std::shared_ptr<const Layer>> layers = workload.layers;
  std::sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  std::vector<std::vector<Loops>> competing;
  std::size_t most = 0;
  for (const auto& layer : layers) {
    competing.push_back(cuts(*layer));
    most = std::max(most, competing.back().size());
  }
  menu.resize(layers.size());
  for (std::size_t round = 0; round < most; ++round) {
    std::vector<Loops> chosen;
    for (const std::vector<Loops>& of_layer : competing)
      chosen.push_back(of_layer[std::min(round, of_layer.size() - 1)]);
    const auto graph =
        std::make_shared<const ComputationNodeGraph>(cut_graph(workload, *accelerator, chosen));
    const CoreCostPlan plan(accelerator, graph, Rules{});
    std::vector<std::shared_ptr<const Evaluation>> answers;
    for (const CoreCostQuestion& question : plan.questions())
      answers.push_back(known_answer(question, factor_limit));
    const CoreCosts costs = plan.costs(answers);
    for (std::size_t layer = 0; layer < layers.size(); ++layer)
      if (round < competing[layer].size())
        menu[layer].push_back({chosen[layer],
                               nodes_by_shape(graph->layers[layer]),
                               std::make_shared<const CoreCosts::OfLayer>(costs.layers[layer]),
                               1,
                               {}});
  }
}

ComputationNodeGraph PartitionSpace::graph(const std::vector<int>& partition) const {
  std::vector<Loops> chosen;
  for (std::size_t layer = 0; layer < menu.size(); ++layer)
    chosen.push_back(menu[layer][partition[layer]].loops);
  return cut_graph(workload, *accelerator, chosen);
}

std::shared_ptr<const ScheduleProblem> PartitionSpace::problem(const std::vector<int>& partition) const {
  auto costs = std::make_shared<CoreCosts>();
  for (std::size_t layer = 0; layer < menu.size(); ++layer)
    costs->layers.push_back(*menu[layer][partition[layer]].costs);
  return std::make_shared<const ScheduleProblem>(
      accelerator, std::make_shared<const ComputationNodeGraph>(graph(partition)), costs,
      ScheduleOptions{});
}

Workload workload_of(const std::string& path, const std::string& mapping_path,
                     const std::map<std::string, std::int64_t>& lengths) {
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping(mapping_path, diagnostics);
  if (!path.ends_with(".onnx")) return read_stream_workload(path, mapping, Rules{}, diagnostics);
  OnnxSettings settings;
  settings.dimensions = {lengths.begin(), lengths.end()};
  settings.operand_precision = {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}};
  return read_stream_onnx(path, mapping, Rules{}, diagnostics, settings);
}

MultiCoreAccelerator accelerator_of(const std::string& path) {
  Diagnostics diagnostics;
  return read_multi_core(path, diagnostics);
}

std::vector<Loops> cuts_of_loops(const Layer& layer, const std::vector<std::int64_t>& pieces,
                                 int most_nodes) {
  struct Single {
    CutLoop loop;
    std::int64_t pieces = 1;
  };
  std::vector<Single> singles;
  for (const LoopDimension& loop : layer.loops)
    for (const std::int64_t count : pieces)
      if (count > 1 && count <= loop.size && loop.name != "FX" && loop.name != "FY")
        singles.push_back({{loop.name, count}, count});
  std::vector<Loops> cuts{{}};
  for (const Single& single : singles)
    if (single.pieces <= most_nodes) cuts.push_back({single.loop});
  for (const Single& first : singles)
    for (const Single& second : singles)
      if (first.loop.dimension != second.loop.dimension && first.pieces * second.pieces <= most_nodes)
        cuts.push_back({first.loop, second.loop});
  return cuts;
}

ShippedCase::ShippedCase(const std::string& network, const std::string& accelerator_name) {
  const std::string configs = ZZ_SOURCE_DIR "/configs/";
  core::Diagnostics diagnostics;
  const core::MappingFile mapping =
      core::read_mapping(configs + "mappings/" + accelerator_name + ".yaml", diagnostics);
  const std::string path = configs + "workloads/" + network;
  const bool onnx = path.substr(path.size() - 5) == ".onnx";
  const core::OnnxSettings bytes{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};
  workload = onnx ? core::read_stream_onnx(path, mapping, {}, diagnostics, bytes)
                  : core::read_stream_workload(path, mapping, {}, diagnostics);
  accelerator = std::make_shared<const core::MultiCoreAccelerator>(
      core::read_multi_core(configs + "accelerators/" + accelerator_name + ".yaml", diagnostics));
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

std::shared_ptr<const Evaluation> known_answer(const CoreCostQuestion& question, int factor_limit) {
  struct Known {
    int factor_limit;
    Layer layer;
    std::shared_ptr<const Accelerator> accelerator;
    std::shared_ptr<const Evaluation> answer;
  };
  static std::mutex mutex;
  static std::vector<Known> all;
  Layer layer = without_identity(*question.layer);
  const std::lock_guard lock(mutex);
  for (const Known& known : all)
    if (known.factor_limit == factor_limit && known.layer == layer &&
        *known.accelerator == *question.accelerator)
      return known.answer;
  all.push_back(
      {factor_limit, std::move(layer), question.accelerator, answer(question, factor_limit, false)});
  return all.back().answer;
}

core::AnswerQuestions default_answers() {
  return [](const std::vector<core::CoreCostQuestion>& questions, std::vector<std::string>&) {
    std::vector<std::shared_ptr<const core::Evaluation>> answers;
    for (const core::CoreCostQuestion& question : questions) answers.push_back(known_answer(question, 4));
    return answers;
  };
}

}  // namespace zz::test
