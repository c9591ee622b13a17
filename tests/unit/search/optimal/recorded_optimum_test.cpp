#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "tests/unit/worlds/recorded.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// The networks are of float32, the accelerators of bytes.
const OnnxSettings bytes_on_chip{{}, {{"W", 8}, {"I", 8}, {"O", 16}, {"O_final", 8}}, {}};

/// The least energy of ResNet-18 on a recorded accelerator by ZigZag's own figures, of all layers, uJ.
double least_energy(const std::string& accelerator_name, const std::string& mapping_name) {
  const std::string inputs = (oracle_path() / "inputs/").string();
  Diagnostics diagnostics;
  const MappingFile mapping = read_mapping(inputs + "mapping/" + mapping_name + ".yaml", diagnostics);
  const Workload workload =
      read_onnx(inputs + "workload/resnet18.onnx", mapping, rules_of("zigzag-3.8.5"), diagnostics);
  const auto accelerator = std::make_shared<const Accelerator>(
      read_accelerator(inputs + "hardware/" + accelerator_name + ".yaml", diagnostics));
  double sum = 0;
  for (const auto& layer : workload.layers) {
    Layer mapped = *layer;
    mapped.mapping.spatial_mapping =
        generate_spatial_mappings(mapped, *accelerator, {.count = 1, .rules = rules_of("zigzag-3.8.5")})
            .mappings.front();
    ConvertedSpatialMapping converted =
        convert_spatial_mapping(mapped, *accelerator, rules_of("zigzag-3.8.5"));
    MappingProblem problem;
    problem.accelerator = accelerator;
    problem.layer = std::make_shared<const Layer>(mapped);
    problem.fractional = std::make_shared<const SpatialMapping>(std::move(converted.fractional));
    problem.integral = std::make_shared<const SpatialMapping>(std::move(converted.integral));
    problem.options.rules = rules_of("zigzag-3.8.5");
    const Certificate found = find_optimal_mapping(problem, {});
    CHECK(found.gap() == 0);
    sum += found.value;
  }
  return sum * 1e-6;
}

}  // namespace

// The expected values were found before by another program, and confirmed by enumeration where possible.
TEST_CASE("optimum: the least energy of ResNet-18 on recorded accelerators") {
  if (!std::filesystem::exists(oracle_path())) {
    MESSAGE("SKIPPED: ../shared/oracle/zigzag is not there");
    return;
  }
  CHECK(least_energy("tpu_like", "tpu_like") == doctest::Approx(1859.88).epsilon(1e-5));
  CHECK(least_energy("meta_prototype", "meta_prototype_like") == doctest::Approx(1676.76).epsilon(1e-5));
  CHECK(least_energy("eyeriss_like", "default") == doctest::Approx(12346).epsilon(1e-4));
}

// Proven within a second each; the limit is one of states, which no machine's speed changes.
TEST_CASE("optimum: the least latency of layers that are hard on recorded accelerators") {
  if (!std::filesystem::exists(oracle_path())) {
    MESSAGE("SKIPPED: ../shared/oracle/zigzag is not there");
    return;
  }
  struct Expected {
    std::string accelerator, layer;
    double latency;
  };
  for (const Expected& expected :
       {Expected{"ascend_like", "block2/project", 47328}, Expected{"ascend_like", "block5/expand", 22720},
        Expected{"tesla_npu_like", "block11/project", 16368},
        Expected{"tesla_npu_like", "block12/project", 23376}}) {
    CAPTURE(expected.accelerator);
    CAPTURE(expected.layer);
    const std::string inputs = (oracle_path() / "inputs/").string();
    Diagnostics diagnostics;
    const MappingFile mapping =
        read_mapping(inputs + "mapping/" + expected.accelerator + ".yaml", diagnostics);
    const Workload workload = read_onnx(ZZ_SOURCE_DIR "/configs/workloads/mobilenet_v2.onnx", mapping, {},
                                        diagnostics, bytes_on_chip);
    const auto accelerator = std::make_shared<const Accelerator>(
        read_accelerator(inputs + "hardware/" + expected.accelerator + ".yaml", diagnostics));
    const auto layer =
        std::find_if(workload.layers.begin(), workload.layers.end(),
                     [&](const auto& candidate) { return candidate->name == expected.layer; });
    REQUIRE(layer != workload.layers.end());
    const SpatialUnrolling unrolling =
        generate_spatial_mappings(**layer, *accelerator, {.count = 1}).mappings.front();
    OptimumOptions options;
    options.objective = Objective::latency;
    options.break_ties = false;
    options.limits.states = 65536;
    const Certificate found =
        find_optimal_mapping(unrolled_problem(**layer, accelerator, unrolling, {}), options);
    CHECK(found.gap() == 0);
    CHECK(found.value == doctest::Approx(expected.latency).epsilon(1e-9));
  }
}

// By one port after the other, and with hiding known from the end only, neither was proven within a second.
TEST_CASE("optimum: the least latency of layers where ports contested, or where hiding has no bounds") {
  struct Expected {
    std::string accelerator, workload, layer;
    bool zigzag_compat;
    double latency;
  };
  for (const Expected& expected :
       {Expected{"eyeriss_like", "mobilenet_v2.onnx", "block3/depthwise", false, 129091},
        Expected{"simba_like", "resnet18.onnx", "stage3/block1/conv2", true, 113287}}) {
    CAPTURE(expected.accelerator);
    const std::string configs = ZZ_SOURCE_DIR "/configs/";
    Diagnostics diagnostics;
    const MappingFile mapping =
        read_mapping(configs + "mappings/" + expected.accelerator + ".yaml", diagnostics);
    const Workload workload =
        read_onnx(configs + "workloads/" + expected.workload, mapping,
                  rules_of(expected.zigzag_compat ? "zigzag-3.8.5" : ""), diagnostics, bytes_on_chip);
    const auto accelerator = std::make_shared<const Accelerator>(
        read_accelerator(configs + "accelerators/" + expected.accelerator + ".yaml", diagnostics));
    const auto layer =
        std::find_if(workload.layers.begin(), workload.layers.end(),
                     [&](const auto& candidate) { return candidate->name == expected.layer; });
    REQUIRE(layer != workload.layers.end());
    const SpatialUnrolling unrolling =
        generate_spatial_mappings(
            **layer, *accelerator,
            {.count = 1, .rules = rules_of(expected.zigzag_compat ? "zigzag-3.8.5" : "")})
            .mappings.front();
    OptimumOptions options;
    options.objective = Objective::latency;
    options.break_ties = false;
    options.limits.states = 65536;
    const Certificate found = find_optimal_mapping(
        unrolled_problem(**layer, accelerator, unrolling,
                         {.rules = rules_of(expected.zigzag_compat ? "zigzag-3.8.5" : "")}),
        options);
    CHECK(found.gap() == 0);
    CHECK(found.value == doctest::Approx(expected.latency).epsilon(1e-9));
  }
}

TEST_CASE("optimum: a port that every mapping keeps busier than the units bounds the latency") {
  // Reads an input from the buffer in every cycle, and all results besides.
  const std::string configs = ZZ_SOURCE_DIR "/configs/";
  Diagnostics diagnostics;
  const Workload workload = read_onnx(configs + "workloads/resnet18.onnx",
                                      read_mapping(configs + "mappings/tpu_like.yaml", diagnostics), {},
                                      diagnostics, bytes_on_chip);
  const auto accelerator = std::make_shared<const Accelerator>(
      read_accelerator(configs + "accelerators/tpu_like.yaml", diagnostics));
  const Layer& stem = *workload.layers_in_order().front();
  const SpatialUnrolling unrolling =
      generate_spatial_mappings(stem, *accelerator, {.count = 1}).mappings.front();
  OptimumOptions options;
  options.objective = Objective::latency;
  options.break_ties = false;
  options.limits.states = 16384;
  const Certificate found =
      find_optimal_mapping(unrolled_problem(stem, accelerator, unrolling, {}), options);
  CHECK(found.gap() == 0);
  CHECK(found.value == 112 * 112 * 7 * 7 + 3136);
}
