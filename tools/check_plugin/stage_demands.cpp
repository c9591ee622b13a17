#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/value/read.hpp"
#include "host/base/run.hpp"
#include "host/chain/failure.hpp"
#include "host/library/open_pipeline.hpp"
#include "host/library/pipeline_run.hpp"
#include "host/values/stage_table.hpp"

#include "tools/check_plugin/stage_checks.hpp"

namespace zz::host {
namespace {

// The example of sample_values.cpp, in files as users have them. Its memory is so small that some orders
// differ.
constexpr const char* workload = R"(
- id: 0
  name: product
  operator_type: Gemm
  equation: O[d][k]+=I[d][c]*W[c][k]
  dimension_relations: []
  loop_dims: [D, K, C]
  loop_sizes: [4, 6, 8]
  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}
  operand_source: {I: 0, W: 0}
)";
constexpr const char* mapping = R"(
- name: default
  spatial_mapping: {D1: ["K, 2"], D2: ["C, 2"]}
  memory_operand_links: {O: O, W: I2, I: I1}
)";
constexpr const char* accelerator = R"(
name: example
memories:
  buffer:
    size: 512
    r_cost: 2.0
    w_cost: 3.0
    area: 0
    latency: 1
    operands: [I1, I2, O]
    ports:
      - name: rw_port_1
        type: read_write
        bandwidth_min: 64
        bandwidth_max: 64
        allocation: ["I1, fh", "I1, tl", "I2, fh", "I2, tl", "O, fh", "O, tl", "O, fl", "O, th"]
    served_dimensions: [D1, D2]
  dram:
    size: 1000000000
    r_cost: 100.0
    w_cost: 200.0
    area: 0
    latency: 1
    operands: [I1, I2, O]
    ports:
      - name: rw_port_1
        type: read_write
        bandwidth_min: 64
        bandwidth_max: 64
        allocation: ["I1, fh", "I1, tl", "I2, fh", "I2, tl", "O, fh", "O, tl", "O, fl", "O, th"]
    served_dimensions: [D1, D2]
operational_array:
  unit_energy: 0.5
  unit_area: 0
  dimensions: [D1, D2]
  sizes: [2, 2]
)";

struct Result {
  double energy = 0, latency = 0;
};

struct Whole {
  std::vector<Result> results;
  std::string failure;
};

/// The results of the stage between a chain that maps one layer and the cost model, below `reducer`; "":
/// below nothing that leaves any out.
Whole results_below(const std::string& reducer, const StageCalls& calls) {
  Run run;
  run.files.add("<workload>.yaml", workload);
  run.files.add("<accelerator>.yaml", accelerator);
  run.files.add("<mapping>.yaml", mapping);
  const WorkingFor working(run);
  const std::string name = calls.stage().name;
  PipelineRequest request;
  request.path = "<check-plugin>";
  request.text = fmt::format(
      "version: 1\nparameters: {{workload: <workload>.yaml, accelerator: <accelerator>.yaml, mapping: "
      "<mapping>.yaml}}\nstages: [WorkloadParserStage, AcceleratorParserStage, WorkloadStage, {}"
      "SpatialMappingGeneratorStage, {}, CostModelStage]\n",
      reducer.empty() ? "" : reducer + ", ", name);
  request.plugins = {calls.file()};
  for (const ResolvedSetting& setting : calls.setup().settings) {
    if (core::kind_of(setting.value.ref()) != core::Kind::null)
      request.set.push_back(
          fmt::format("{}.{}={}", name, setting.parameter->name, core::to_json(setting.value.ref())));
  }
  Whole whole;
  const OpenPipeline open = open_pipeline(request);
  if (open.code != ExitCode::done) {
    for (const core::Diagnostic& problem : open.diagnostics.all())
      if (problem.severity == core::Severity::error && whole.failure.empty())
        whole.failure = problem.message;
    return whole;
  }
  try {
    PipelineRun pipeline(open, run, Telling::nothing);
    while (const std::optional<PipelineResult> result = pipeline.next()) {
      const auto evaluation = result->evaluation.as<core::Evaluation>();
      if (evaluation == nullptr) continue;
      whole.results.push_back({evaluation->energy_total, evaluation->latency_total2});
    }
  } catch (const ChainFailure& failure) {
    whole.failure = failure.failure()->message;
  }
  return whole;
}

struct Reducer {
  const char* stage;
  double Result::*first;
  double Result::*second;
};
/// What they keep: the least of one figure, of equal ones the least of the other, of equal ones the first.
constexpr std::array reducers = {Reducer{"MinimalLatencyStage", &Result::latency, &Result::energy},
                                 Reducer{"MinimalEnergyStage", &Result::energy, &Result::latency}};

bool provides_temporal_mapping(const zz_stage_desc& stage) {
  const auto ports = provided_by(stage);
  return std::any_of(ports.begin(), ports.end(),
                     [](const zz_port& port) { return std::string_view(port.key) == "temporal_mapping"; });
}

}  // namespace

void check_demands(StageCalls& calls, Findings& findings) {
  if (!provides_temporal_mapping(calls.stage())) return;
  findings.doing("a whole chain with and without a reducer");
  const Whole all = results_below("", calls);
  if (all.results.empty() || !all.failure.empty()) {
    findings.unchecked("D1", "it does not end with results in a whole chain: " +
                                 (all.failure.empty() ? std::string("none came up") : all.failure));
    return;
  }
  for (const Reducer& reducer : reducers) {
    const Result& best =
        *std::min_element(all.results.begin(), all.results.end(), [&](const Result& a, const Result& b) {
          return a.*reducer.first != b.*reducer.first ? a.*reducer.first < b.*reducer.first
                                                      : a.*reducer.second < b.*reducer.second;
        });
    const Whole kept = results_below(reducer.stage, calls);
    // Not the mapping: a search that makes another figure small may find another one that costs the same.
    if (kept.results.size() == 1 && kept.results.front().energy == best.energy &&
        kept.results.front().latency == best.latency)
      continue;
    const std::string found =
        kept.results.empty()
            ? "nothing: " + kept.failure
            : fmt::format("{} pJ, {} cycles", kept.results.front().energy, kept.results.front().latency);
    findings.failed("D1",
                    fmt::format("below {} it hands up {}; of its {} results without a reducer the best "
                                "has {} pJ, {} cycles",
                                reducer.stage, found, all.results.size(), best.energy, best.latency));
    return;
  }
  findings.passed("D1", fmt::format("reducers find the best of its {} results", all.results.size()));
}

}  // namespace zz::host
