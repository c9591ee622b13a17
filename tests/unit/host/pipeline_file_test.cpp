#include "host/pipeline/pipeline_file.hpp"

#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "core/base/interruption.hpp"

namespace {

using namespace zz;

/// A pipeline file in a folder of its own, gone when the test is over.
class TemporaryPipeline {
 public:
  explicit TemporaryPipeline(const std::string& text) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << text;
  }
  ~TemporaryPipeline() { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "pipeline.yaml").string(); }
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("zz-pipeline-test-" + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("a pipeline file gives plugins, parameters and stages with their places") {
  const TemporaryPipeline file(
      "version: 1\nx-mine: 3\nplugins: [../mine.so]\nparameters: {workload: a.onnx}\nstages:\n  - "
      "SumStage\n  - Keep: {keep: 3}\n");
  core::Diagnostics diagnostics;
  const auto pipeline = host::read_pipeline(file.path(), diagnostics);
  CHECK_FALSE(diagnostics.has_errors());
  REQUIRE(pipeline.stages.size() == 2);
  CHECK(pipeline.stages[1].name == "Keep");
  CHECK(pipeline.stages[1].mark.line == 7);
  REQUIRE(pipeline.stages[1].settings.size() == 1);
  CHECK(pipeline.stages[1].settings[0].name == "keep");
  REQUIRE(pipeline.parameters.size() == 1);
  REQUIRE(pipeline.plugins.size() == 1);
  CHECK(std::filesystem::path(pipeline.plugins[0].file) ==
        std::filesystem::path(file.folder()).parent_path() / "mine.so");
}

TEST_CASE("all that is wrong with the form of a pipeline file is reported at once") {
  const TemporaryPipeline file("version: 2\nstage: []\nparameters: 3\nstages:\n  - [a]\n  - B: 3\n");
  core::Diagnostics diagnostics;
  host::read_pipeline(file.path(), diagnostics);
  CHECK(diagnostics.all().size() == 5);
  CHECK(diagnostics.all()[1].hint.find("'stages'") != std::string::npos);
}

TEST_CASE("--set replaces an entry of a map and keeps the others") {
  const TemporaryPipeline file(
      "version: 1\nparameters: {limit: 6, sizes: {batch: 1, length: 8}}\nstages:\n  - Keep: {keep: {a: "
      "3}}\n");
  core::Diagnostics diagnostics;
  auto pipeline = host::read_pipeline(file.path(), diagnostics);
  const auto sizes = [&](const char* key) {
    const auto setting = std::find_if(pipeline.parameters.begin(), pipeline.parameters.end(),
                                      [](const auto& each) { return each.name == "sizes"; });
    const auto* const value = setting->value.find(key);
    return value != nullptr ? value->as_int() : std::nullopt;
  };
  host::apply_set(pipeline, "sizes.batch=4", diagnostics);
  host::apply_set(pipeline, "sizes.past.0:1=5", diagnostics);
  host::apply_set(pipeline, "more.x=1", diagnostics);
  host::apply_set(pipeline, "Keep.keep.b=4", diagnostics);
  CHECK_FALSE(diagnostics.has_errors());
  CHECK(sizes("batch") == 4);
  CHECK(sizes("length") == 8);
  CHECK(sizes("past.0:1") == 5);
  CHECK(pipeline.parameters.size() == 3);
  REQUIRE(pipeline.stages[0].settings.size() == 1);
  CHECK(pipeline.stages[0].settings[0].value.entries.size() == 2);
  host::apply_set(pipeline, "Keep.keep=7", diagnostics);
  CHECK_FALSE(diagnostics.has_errors());
  host::apply_set(pipeline, "Keep.keep.c=4", diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].message == "'keep' is no map: it is the number 7");
}

TEST_CASE("--set reads maps whose keys are paths with brackets, and texts that are no YAML") {
  const TemporaryPipeline file("version: 1\nstages: [Keep]\n");
  core::Diagnostics diagnostics;
  auto pipeline = host::read_pipeline(file.path(), diagnostics);
  const auto set = [&](const std::string& assignment) {
    pipeline.parameters.clear();
    host::apply_set(pipeline, assignment, diagnostics);
    return pipeline.parameters.front().value;
  };
  const auto axes = set("axes={memories[l1].size: [1, 2], 'b': {c[d].e: [3]}, plain: 4}");
  REQUIRE(axes.is_map());
  REQUIRE(axes.find("memories[l1].size") != nullptr);
  CHECK(axes.find("memories[l1].size")->items.size() == 2);
  REQUIRE(axes.find("b") != nullptr);
  CHECK(axes.find("b")->find("c[d].e") != nullptr);
  CHECK(axes.find("plain")->as_int() == 4);
  CHECK(set("text=a: b: c").text == "a: b: c");
  CHECK(set("text={a[b: c").text == "{a[b: c");
  CHECK(set("text={a[b]").text == "{a[b]");
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("a path into what a stage hands down is a change, in the file and with --set") {
  const TemporaryPipeline file(
      "version: 1\nparameters: {accelerator: a.yaml, \"accelerator.name\": n, sizes: {batch: 1}}\n"
      "stages: [Keep]\n");
  core::Diagnostics diagnostics;
  auto pipeline = host::read_pipeline(file.path(), diagnostics);
  host::apply_set(pipeline, "accelerator.memories[l1].size=8", diagnostics);
  host::apply_set(pipeline, "workload.layers[a.b].loops[K].size=2", diagnostics);
  host::apply_set(pipeline, "accelerator.name=other", diagnostics);
  host::apply_set(pipeline, "sizes.past[0]=5", diagnostics);
  CHECK_FALSE(diagnostics.has_errors());
  std::string changes;
  for (const auto& change : pipeline.changes) changes += change.name + "=" + change.value.text + " ";
  CHECK(changes ==
        "accelerator.memories[l1].size=8 workload.layers[a.b].loops[K].size=2 accelerator.name=other ");
  CHECK(pipeline.parameters.size() == 2);
}

TEST_CASE("--set replaces parameters and settings of stages") {
  const TemporaryPipeline file("version: 1\nparameters: {limit: 6}\nstages:\n  - Keep: {keep: 3}\n");
  core::Diagnostics diagnostics;
  auto pipeline = host::read_pipeline(file.path(), diagnostics);
  host::apply_set(pipeline, "limit=8", diagnostics);
  host::apply_set(pipeline, "Keep.keep=5", diagnostics);
  CHECK_FALSE(diagnostics.has_errors());
  REQUIRE(pipeline.parameters.size() == 1);
  CHECK(pipeline.parameters[0].value.text == "8");
  CHECK(pipeline.parameters[0].origin == host::Origin::command_line);
  CHECK(pipeline.stages[0].settings[0].value.text == "5");
  host::apply_set(pipeline, "Kep.keep=5", diagnostics);
  host::apply_set(pipeline, "nothing", diagnostics);
  CHECK(diagnostics.all().size() == 2);
}

TEST_CASE("a setting whose reading is interrupted leaves nothing behind") {
  const std::atomic<bool> ended = true;
  core::Interruption run;
  run.run = &ended;
  const core::InterruptedBy interrupted(run);
  host::PipelineFile pipeline;
  core::Diagnostics diagnostics;
  CHECK_THROWS_AS(host::apply_set(pipeline, "a_parameter_with_a_name_of_some_length=1", diagnostics),
                  core::Interrupted);
  CHECK(pipeline.parameters.empty());
}
