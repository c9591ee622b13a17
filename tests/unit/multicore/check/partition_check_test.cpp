#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <map>

#include "core/multicore/check/violations.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "core/workload/tile_bits.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/recorded_schedules.hpp"
#include "tests/unit/worlds/searches.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz;

namespace {

const std::string files = ZZ_SOURCE_DIR "/configs/";

std::string first_of(const std::vector<core::Violation>& violations) {
  return violations.empty() ? "" : violations.front().rule + ": " + violations.front().what;
}

core::SplitOptions options_of(std::vector<core::CutLoop> loops) {
  core::SplitOptions options;
  options.loops = std::move(loops);
  return options;
}

/// Three convolutions and an addition, with strides, padding, and a dilated filter.
core::Workload small_network() {
  test::NetworkBuilder network;
  network.add(test::conv_layer(
      0, {.k = 6, .c = 3, .oy = 9, .ox = 9, .fy = 3, .fx = 3, .padding = 1, .iy = 9, .ix = 9}, -1));
  network.add(test::conv_layer(
      2, {.k = 4, .c = 6, .oy = 5, .ox = 5, .fy = 3, .fx = 3, .stride = 2, .padding = 1, .iy = 9, .ix = 9},
      0));
  network.add(test::conv_layer(
      3,
      {.k = 4, .c = 4, .oy = 5, .ox = 5, .fy = 3, .fx = 3, .dilation = 2, .padding = 2, .iy = 5, .ix = 5},
      2));
  network.add(test::add_layer(4, 1, 4, 5, 5, 2, 3));
  return network.workload();
}

/// A cut for each layer, drawn from all loops, also into pieces that do not divide.
core::SplitOptions random_cut(const core::Workload& workload, core::RandomNumbers& random) {
  core::SplitOptions options;
  options.mode = core::split_by_layer;
  for (const auto& layer : workload.layers) {
    core::CutEntry& hints = options.cut_entries.emplace_back();
    hints.layers = {layer->id};
    for (int i = random.below(4); i > 0; --i) {
      const core::LoopDimension& loop = layer->loops[random.below(static_cast<int>(layer->loops.size()))];
      const auto same = [&](const core::CutLoop& hint) { return hint.dimension == loop.name; };
      if (std::none_of(hints.loops.begin(), hints.loops.end(), same))
        hints.loops.push_back({loop.name, 1 + random.below(5)});
    }
  }
  return options;
}

/// Every tensor that may have them has its numbers in blocks, along any dimension that no window slides
/// over.
core::Workload in_blocks(core::Workload workload, core::RandomNumbers& random) {
  for (auto& layer : workload.layers) {
    core::Layer own = *layer;
    const auto give = [&](int operand, core::BlockScale& scale) {
      std::vector<std::string> along = {""};
      for (const std::string& name : own.operands[operand].dimensions)
        if (const int loop = own.loop_index(name);
            loop >= 0 && own.relevancy(operand, loop) != core::Relevancy::partially_relevant)
          along.push_back(name);
      scale = {1 + random.below(9), 2 + random.below(4),
               along[random.below(static_cast<int>(along.size()))]};
      if (core::block_loop(own, operand, scale) < 0) scale = {};
    };
    for (int operand = 1; operand < static_cast<int>(own.operands.size()); ++operand)
      give(operand, own.operands[operand].scale);
    own.operands[0].precision = 32;
    give(0, own.final_output_scale);
    layer = std::make_shared<const core::Layer>(std::move(own));
  }
  return workload;
}

using Mutation = std::function<bool(core::ComputationNodeGraph&, core::RandomNumbers&)>;

/// Ranges, dependencies, tensors and orders; false when the graph has nothing of the kind.
const std::vector<std::pair<std::string, Mutation>> mutations = {
    {"moved range",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::CutLayer& cut_layer = graph.layers[random.below(static_cast<int>(graph.layers.size()))];
       if (cut_layer.outer_loops.size() < 2 || cut_layer.outer_loops.front().count == 1 ||
           cut_layer.outer_loops.back().count == 1 ||
           cut_layer.outer_loops.front().loop == cut_layer.outer_loops.back().loop)
         return false;
       std::swap(cut_layer.outer_loops.front(), cut_layer.outer_loops.back());
       return true;
     }},
    {"longer range",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::CutLayer& cut_layer = graph.layers[random.below(static_cast<int>(graph.layers.size()))];
       core::Layer piece = *cut_layer.piece;
       piece.loops[random.below(static_cast<int>(piece.loops.size()))].size += 1;
       cut_layer.piece = std::make_shared<core::Layer>(piece);
       return true;
     }},
    {"other shape",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::ComputationNode& node = graph.nodes[random.below(static_cast<int>(graph.nodes.size()))];
       node.shape = random.below(2) == 0 ? node.shape + 1 : node.shape - 1;
       return true;
     }},
    {"larger last piece",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::CutLayer& cut_layer = graph.layers[random.below(static_cast<int>(graph.layers.size()))];
       if (cut_layer.smaller_pieces.empty()) return false;
       cut_layer.smaller_pieces.front().piece = cut_layer.piece;
       return true;
     }},
    {"dropped dependency",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       graph.dependencies.erase(graph.dependencies.begin() +
                                random.below(static_cast<int>(graph.dependencies.size())));
       graph.index();
       return true;
     }},
    {"other dependency",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::Dependency& entry =
           graph.dependencies[random.below(static_cast<int>(graph.dependencies.size()))];
       const int layer = graph.nodes[entry.from].layer;
       if (graph.layers[layer].node_count < 2 || entry.operand < 0) return false;
       const int first = graph.layers[layer].first_node;
       entry.from = first + (entry.from - first + 1) % graph.layers[layer].node_count;
       graph.index();
       return true;
     }},
    {"wrong tensor",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::ComputationNode& node = graph.nodes[random.below(static_cast<int>(graph.nodes.size()))];
       int& tensor = node.tensors[random.below(3)];
       tensor = (tensor + 1) % static_cast<int>(graph.tensors.size());
       return true;
     }},
    {"wrong bits",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       graph.tensors[random.below(static_cast<int>(graph.tensors.size()))].bits += 8;
       return true;
     }},
    {"swapped order",
     [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::Dependency& entry =
           graph.dependencies[random.below(static_cast<int>(graph.dependencies.size()))];
       std::swap(entry.from, entry.to);
       return true;
     }},
    {"other group", [](core::ComputationNodeGraph& graph, core::RandomNumbers& random) {
       core::ComputationNode& node = graph.nodes[random.below(static_cast<int>(graph.nodes.size()))];
       const int groups = graph.layers[node.layer].group_count;
       if (groups < 2) return false;
       node.group = (node.group + 1) % groups;
       return true;
     }}};

}  // namespace

TEST_CASE("partition check: what is cut and connected by the rules is accepted") {
  const core::Workload network = small_network();
  core::RandomNumbers random(1, 0);
  for (int i = 0; i < 300; ++i) {
    const core::ComputationNodeGraph graph = test::split(network, random_cut(network, random));
    CHECK(first_of(core::find_partition_violations(network, graph)) == "");
  }
}

TEST_CASE("partition check: pieces of numbers in blocks bring the scales of the blocks that they begin") {
  core::RandomNumbers random(3, 0);
  for (int i = 0; i < 200; ++i) {
    const core::Workload network = in_blocks(small_network(), random);
    core::ComputationNodeGraph graph = test::split(network, random_cut(network, random));
    CHECK(first_of(core::find_partition_violations(network, graph)) == "");
    graph.tensors[random.below(static_cast<int>(graph.tensors.size()))].bits -= 1;
    CHECK_FALSE(core::find_partition_violations(network, graph).empty());
  }
}

TEST_CASE("partition check: mutated graphs are refused") {
  const core::Workload network = small_network();
  core::RandomNumbers random(2, 0);
  int refused = 0, made = 0;
  while (made < 400) {
    core::ComputationNodeGraph graph = test::split(network, random_cut(network, random));
    const auto& mutation = mutations[random.below(static_cast<int>(mutations.size()))];
    if (!mutation.second(graph, random)) continue;
    ++made;
    const bool found = !core::find_partition_violations(network, graph).empty();
    refused += found;
    CHECK_MESSAGE(found, mutation.first);
  }
  CHECK(refused == made);
}

TEST_CASE("partition check: the networks of the examples are accepted") {
  const std::map<std::string, std::map<std::string, std::int64_t>> networks = {
      {"resnet18.onnx", {}},
      {"mobilenet_v2.onnx", {}},
      {"transformer_encoder.onnx", {}},
      {"bert_encoder.onnx", {{"batch", 1}, {"sequence", 16}}},
      {"llama_decoder.onnx", {{"batch", 1}, {"sequence", 4}, {"past", 12}}},
      {"quantised_cnn.onnx", {}},
      {"alexnet.onnx", {}},
      {"small_cnn.yaml", {}}};
  int combinations = 0;
  for (const auto& entry : networks) {
    const auto& [network, lengths] = entry;
    CAPTURE(entry.first);
    const core::Workload workload = test::workload_of(files + "workloads/" + network,
                                                      files + "mappings/systolic_quad_core.yaml", lengths);
    for (const std::vector<core::CutLoop>& loops : std::vector<std::vector<core::CutLoop>>{
             {}, {{"OY", {}}}, {{"K", 4}, {"OY", 4}}, {{"C", 2}, {"OX", 3}}, {{"H", {}}, {"D", 4}}}) {
      if (combinations++ % test::daily(6, 1) != 0) continue;
      core::SplitOptions options = options_of({});
      for (const core::CutLoop& loop : loops)
        for (const auto& layer : workload.layers)
          if (layer->loop_index(loop.dimension) >= 0 && options.loops.size() < loops.size()) {
            options.loops.push_back(loop);
            break;
          }
      const core::ComputationNodeGraph graph = test::split(workload, options);
      CHECK(first_of(core::find_partition_violations(workload, graph)) == "");
    }
  }
}

TEST_CASE("partition check: recorded networks are accepted by the default rules") {
  for (const std::string& name : test::recorded_case_names()) {
    CAPTURE(name);
    test::RecordedNetwork recorded = test::recorded_network(test::recorded_case(name));
    recorded.options.rules = core::Rules{};
    std::vector<std::string> warnings;
    const core::ComputationNodeGraph graph =
        core::split_into_nodes(recorded.workload, recorded.accelerator, recorded.options, warnings);
    CHECK(first_of(core::find_partition_violations(recorded.workload, graph)) == "");
  }
}
