#include "host/library/pipeline_run.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/base/diagnostics.hpp"
#include "host/library/open_pipeline.hpp"
#include "host/report/run_summary.hpp"

#include "sdk/include/zz/stage_abi.h"

using namespace zz;

namespace {

const std::string inputs = std::string(ZZ_SOURCE_DIR) + "/tests/inputs/";

std::string bytes_of(const std::string& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(inputs + file).rdbuf();
  return bytes.str();
}

const char* const stages = R"(
version: 1
stages: [WorkloadParserStage, AcceleratorParserStage, SumStage, WorkloadStage, MinimalLatencyStage,
         SpatialMappingGeneratorStage, MinimalLatencyStage, LomaStage, CostModelStage]
parameters: {workload: <workload>, accelerator: <accelerator>, mapping: <mapping>, loma_lpf_limit: 6}
)";

void bring_files(host::Run& run) {
  for (const std::string name : {"workload", "accelerator", "mapping"})
    run.files.add("<" + name + ">", bytes_of(name + ".yaml"));
}

host::OpenPipeline open_for(host::Run& run, const host::PipelineRequest& request) {
  const host::WorkingFor working(run);
  return host::open_pipeline(request);
}

host::ResultRows only_result(host::Run& run, const host::PipelineRequest& request) {
  const host::OpenPipeline open = open_for(run, request);
  REQUIRE_MESSAGE(open.code == host::ExitCode::done, open.diagnostics.all().front().message);
  host::PipelineRun pipeline(open, run);
  const auto result = pipeline.next();
  REQUIRE(result.has_value());
  CHECK_FALSE(pipeline.next().has_value());
  return host::rows_of(result->evaluation, result->extra);
}

}  // namespace

TEST_CASE("a pipeline with its inputs in memory gives what the files give") {
  host::Run run, of_files;
  bring_files(run);
  const auto in_memory = only_result(run, {.path = "<pipeline>", .text = stages});
  const auto on_disk = only_result(of_files, {.path = "<pipeline>",
                                              .text = stages,
                                              .set = {"workload=" + inputs + "workload.yaml",
                                                      "accelerator=" + inputs + "accelerator.yaml",
                                                      "mapping=" + inputs + "mapping.yaml"}});
  CHECK(in_memory.total->energy == on_disk.total->energy);
  CHECK(in_memory.total->latency == on_disk.total->latency);
}

TEST_CASE("wrong settings of a pipeline in memory are told with their places") {
  host::Run run;
  bring_files(run);
  const auto open = open_for(run, {.path = "<pipeline>", .text = stages, .set = {"loma_lpf_limt=6"}});
  CHECK(open.code == host::ExitCode::usage);
  REQUIRE(open.diagnostics.has_errors());
  CHECK(open.diagnostics.all().front().hint.find("loma_lpf_limit") != std::string::npos);
}

TEST_CASE("runs beside each other give what they give alone") {
  host::Run one, other;
  bring_files(one);
  bring_files(other);
  const auto open_one = open_for(one, {.path = "<pipeline>", .text = stages});
  const auto open_other =
      open_for(other, {.path = "<pipeline>", .text = stages, .set = {"loma_lpf_limit=3"}});
  const auto energy = [](const host::OpenPipeline& open, host::Run& run) {
    host::PipelineRun pipeline(open, run);
    const auto result = pipeline.next().value();
    return host::rows_of(result.evaluation, result.extra).total->energy;
  };
  const double alone = energy(open_one, one), other_alone = energy(open_other, other);
  double beside = 0, other_beside = 0;
  std::thread thread([&] { other_beside = energy(open_other, other); });
  beside = energy(open_one, one);
  thread.join();
  CHECK(beside == alone);
  CHECK(other_beside == other_alone);
}

TEST_CASE("cancelling a run ends it and leaves others") {
  host::Run cancelled, other;
  bring_files(cancelled);
  bring_files(other);
  const auto open = open_for(cancelled, {.path = "<pipeline>", .text = stages});
  cancelled.cancelled = true;
  host::PipelineRun pipeline(open, cancelled);
  try {
    pipeline.next();
    FAIL("the run went on");
  } catch (const host::ChainFailure& failure) {
    CHECK(failure.failure()->code == ZZ_E_CANCELLED);
  }
  CHECK(only_result(other, {.path = "<pipeline>", .text = stages}).total->energy > 0);
}
