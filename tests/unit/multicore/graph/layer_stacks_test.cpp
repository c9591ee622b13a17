#include "core/multicore/graph/layer_stacks.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "tests/unit/worlds/accelerators.hpp"

namespace {

using namespace zz::core;
using nlohmann::json;

/// Layers of so many elements of weights, 8 bits each.
Workload chain_of(const std::vector<std::int64_t>& weights) {
  Workload workload;
  for (const std::int64_t elements : weights) {
    auto layer = std::make_shared<Layer>();
    layer->id = static_cast<std::int64_t>(workload.layers.size());
    layer->loops = {{"K", elements}, {"OY", 4}};
    layer->operands = {
        {"O", {"K", "OY"}, 8, false, {}}, {"W", {"K"}, 8, elements > 0, {}}, {"I", {"OY"}, 8, false, {}}};
    if (elements > 0) layer->source_order = {1};
    workload.node_order.push_back(layer->id);
    workload.layers.push_back(std::move(layer));
  }
  return workload;
}

/// Two cores of 50 elements of weights each, and an off-chip memory that does not count.
MultiCoreAccelerator two_cores() { return zz::test::cores_with_memories({400, 400, 1000000}); }

LayerStacks stacks_of(const std::vector<std::int64_t>& weights, const StackOptions& options = {}) {
  return determine_layer_stacks(chain_of(weights), two_cores(), options);
}

}  // namespace

TEST_CASE("a stack takes layers while their weights fit on chip") {
  CHECK(stacks_of({40, 0, 60, 10, 0}) == LayerStacks{{0, 1, 2}, {3}, {4}});
  CHECK(stacks_of({10, 10, 10}) == LayerStacks{{0, 1, 2}});
  CHECK(stacks_of({101, 1}) == LayerStacks{{0}, {1}});
  CHECK(stacks_of({1, 1}, {.mode = "lbl"}) == LayerStacks{{0}, {1}});
}

TEST_CASE("cutoffs end stacks") {
  CHECK(stacks_of({90, 90, 1, 1}, {.cutoff = 1}) == LayerStacks{{0, 1}, {2}, {3}});
  CHECK(stacks_of({1, 1, 1, 1, 1}, {.cutoffs = {0, 2}}) == LayerStacks{{0}, {1, 2}, {3}, {4}});
  CHECK(stacks_of({1, 1, 101, 1, 1, 1}, {.cutoffs = {1, 4}}) == LayerStacks{{0, 1}, {2}, {3}, {4}, {5}});
  CHECK_THROWS_AS(stacks_of({1}, {.cutoffs = {2, 1}}), InputError);
  CHECK_THROWS_AS(stacks_of({1}, {.cutoff = 1, .cutoffs = {1}}), InputError);
  CHECK_THROWS_AS(stacks_of({1}, {.mode = "all"}), InputError);
}

TEST_CASE("fused layers are cut row by row") {
  const Workload workload = chain_of({1, 1, 1});
  const std::vector<CutEntry> hints = hints_of_stacks({{0, 1}, {2}}, workload);
  REQUIRE(hints.size() == 2);
  CHECK(hints[0] == CutEntry{{0, 1}, {{"OY", std::nullopt}}});
  CHECK(hints[1] == CutEntry{{2}, {}});
  CHECK(stacks_up_to({0}, workload) == LayerStacks{{0}, {1, 2}});
  CHECK(stacks_up_to({0, 7}, workload) == LayerStacks{{0}, {1, 2}});
}

TEST_CASE("stacks and their loops are those of Stream") {
  const auto oracle = std::filesystem::path(ZZ_SOURCE_DIR).parent_path() / "shared" / "oracle" / "stream";
  if (!std::filesystem::exists(oracle / "cases")) {
    MESSAGE("skipped: there are no recorded results at " << oracle.string());
    return;
  }
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(oracle / "cases")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const json record = json::parse(file);
    if (!record.contains("layer_stacks")) continue;
    CAPTURE(entry.path().filename().string());
    const auto input = [&](const char* key) {
      return (oracle / "inputs" / record["inputs"][key].get<std::string>()).string();
    };
    Diagnostics diagnostics;
    const Workload workload =
        read_stream_onnx(input("workload"), read_mapping(input("mapping"), diagnostics),
                         rules_of("stream-0.0.8"), diagnostics);
    const MultiCoreAccelerator accelerator = read_multi_core(input("accelerator"), diagnostics);
    const json& parameters = record["parameters"];
    StackOptions options{
        parameters["stage_mode"].get<std::string>(), std::nullopt, {}, rules_of("stream-0.0.8")};
    if (parameters.contains("stack_cutoff"))
      options.cutoff = parameters["stack_cutoff"].get<std::int64_t>();
    if (parameters.contains("stack_cutoffs"))
      options.cutoffs = parameters["stack_cutoffs"].get<std::vector<std::int64_t>>();
    const LayerStacks stacks = determine_layer_stacks(workload, accelerator, options);
    CHECK(json(stacks) == record["layer_stacks"]);
    const std::vector<CutEntry> hints = hints_of_stacks(stacks, workload);
    REQUIRE(hints.size() == record["derived_hint_loops"].size());
    for (const CutEntry& hint : hints) {
      std::string key;
      for (const std::int64_t id : hint.layers) key += (key.empty() ? "" : ",") + std::to_string(id);
      json loops = json::array();
      for (const CutLoop& loop : hint.loops) loops.push_back({loop.dimension, "all"});
      CHECK(loops == record["derived_hint_loops"][key]);
    }
    ++compared;
  }
  CHECK(compared == 4);
}
