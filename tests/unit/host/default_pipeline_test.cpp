#include "host/pipeline/default_pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "host/library/pipeline_run.hpp"
#include "host/report/explain.hpp"
#include "host/report/run_summary.hpp"

using namespace zz;

namespace {

const std::string project = std::string(ZZ_SOURCE_DIR) + "/tests/inputs/";

host::PipelineChoices one_core() {
  return {.workload = project + "workload.yaml",
          .accelerator = project + "accelerator.yaml",
          .mapping = project + "mapping.yaml"};
}

host::PipelineChoices several_cores() {
  return {.workload = project + "stream_workload.yaml",
          .accelerator = project + "stream_accelerator.yaml",
          .mapping = project + "stream_mapping.yaml"};
}

std::string stages_of(const host::PipelineChoices& choices) {
  const host::PipelineFile pipeline = host::default_pipeline(choices, core::Files::on_disk());
  std::string names;
  for (const host::StageEntry& stage : pipeline.stages) names += (names.empty() ? "" : " ") + stage.name;
  return names;
}

std::string objections_to(const host::PipelineChoices& choices) {
  std::string text;
  try {
    host::default_pipeline(choices, core::Files::on_disk());
  } catch (const core::InputError& error) {
    for (const core::Diagnostic& problem : error.diagnostics()) text += problem.message + "\n";
  }
  return text;
}

host::ResultRow total_of(const host::PipelineRequest& request, std::string* short_form = nullptr) {
  host::Run run;
  const host::WorkingFor working(run);
  const host::OpenPipeline open = host::open_pipeline(request);
  REQUIRE(open.code == host::ExitCode::done);
  if (short_form != nullptr) *short_form = host::short_form(open.pipeline, open.chain);
  host::PipelineRun pipeline(open, run);
  const auto result = pipeline.next();
  REQUIRE(result.has_value());
  const host::ResultRows summary = host::rows_of(result->evaluation, result->extra);
  return summary.total ? *summary.total : summary.layers.front();
}

TEST_CASE("default pipeline: a proof for each layer on one core, with the reducer of the objective") {
  host::PipelineChoices choices = one_core();
  choices.objective = "EDP";
  choices.workload = "net.onnx";
  choices.output = "out";
  CHECK(
      stages_of(choices) ==
      "AcceleratorParserStage ONNXModelParserStage SimpleSaveStage PickleSaveStage SumStage WorkloadStage "
      "VisualizationStage CompleteSaveStage MinimalEDPStage OptimalMappingStage CostModelStage");
  choices.workload = "config.json";
  CHECK(stages_of(choices).find("TransformerWorkloadStage") != std::string::npos);
}

TEST_CASE("default pipeline: the quick one is ZigZag's, with the same reducer twice") {
  host::PipelineChoices choices = one_core();
  choices.quick = true;
  CHECK(stages_of(choices) ==
        "AcceleratorParserStage WorkloadParserStage SumStage WorkloadStage MinimalLatencyStage "
        "SpatialMappingGeneratorStage MinimalLatencyStage LomaStage CostModelStage");
}

TEST_CASE("default pipeline: the proof is no worse than the quick search, and says that it is whole") {
  host::PipelineChoices choices = one_core();
  const host::ResultRow proven = total_of({.choices = choices});
  choices.quick = true;
  const host::ResultRow quick = total_of({.choices = choices});
  CHECK(proven.latency <= quick.latency);
  CHECK(proven.gap == 0);
  CHECK(std::isnan(quick.gap));
}

TEST_CASE("default pipeline: several cores get a search of cuts with the same objective") {
  host::PipelineChoices choices = several_cores();
  choices.objective = "energy";
  const host::PipelineFile pipeline = host::default_pipeline(choices, core::Files::on_disk());
  CHECK(stages_of(choices) ==
        "AcceleratorParserStage UserDefinedModelParserStage SearchHintLoopsStage "
        "GenerateCNWorkloadHybridStage IntraCoreMappingStage InterCoreMappingStage");
  const auto search = std::find_if(pipeline.stages.begin(), pipeline.stages.end(),
                                   [](const auto& stage) { return stage.name == "SearchHintLoopsStage"; });
  REQUIRE(search->settings.size() == 2);
  CHECK(search->settings[0].value.text == "energy");
  CHECK(search->settings[1].value.items.front().text == "MinimalEnergyStage");
}

TEST_CASE("default pipeline: wrong choices are refused together") {
  CHECK(objections_to(one_core()).empty());
  host::PipelineChoices choices = one_core();
  choices.workload = "";
  choices.objective = "speed";
  choices.limit = 6;
  const std::string objections = objections_to(choices);
  CHECK(objections.find("no workload is given") != std::string::npos);
  CHECK(objections.find("found 'speed'") != std::string::npos);
  CHECK(objections.find("the limit") != std::string::npos);
}

TEST_CASE("default pipeline: what is printed gives the same result") {
  for (const host::PipelineChoices& choices : {one_core(), several_cores()}) {
    const bool several = choices.accelerator.ends_with("stream_accelerator.yaml");
    const std::vector<std::string> set =
        several ? std::vector<std::string>{"evaluation_limit=100"} : std::vector<std::string>{"seed=3"};
    std::string printed;
    const host::ResultRow made = total_of({.set = set, .choices = choices}, &printed);
    const host::ResultRow read = total_of({.path = "elsewhere/pipeline.yaml", .text = printed});
    CAPTURE(printed);
    CHECK(made.energy == read.energy);
    CHECK(made.latency == read.latency);
    CHECK(made.latency > 0);
  }
}

}  // namespace
