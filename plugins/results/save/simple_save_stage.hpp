#pragma once
#include <optional>
#include <string>

#include "plugins/results/save/result_file.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Writes each result that passes to a JSON file: energy and latency.
class SimpleSaveStage : public Stage {
 public:
  static constexpr Description description{
      .id = "org.zz.SimpleSaveStage",
      .name = "SimpleSaveStage",
      .summary = "writes each result to a JSON file: energy and latency",
      .doc =
          R"(Writes energy (pJ) and latency (cycles) of each result that passes to a JSON file, and under `metrics`
by name what stages below added.
The file is `<dump_folder>/<layer>_simple.json`, with slashes in the name of the layer
replaced by `_`, `<dump_folder>/overall_simple.json` for a sum, and `<dump_folder>/schedule_simple.json` for a
network on several cores. A later result of the same name replaces the file. Files appear whole or not at all. Results
pass unchanged.

```yaml
parameters: {dump_folder: outputs/resnet18}
stages: [..., SimpleSaveStage, ...]
```)",
      .flags = ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN};

  std::optional<std::string> dump_folder;
  std::optional<std::string> dump_filename_pattern;
  static constexpr auto params = zz::params(
      param<&SimpleSaveStage::dump_folder>("dump_folder", dump_folder_doc),
      param<&SimpleSaveStage::dump_filename_pattern>("dump_filename_pattern", dump_filename_pattern_doc)
          .deprecated());
  static constexpr Port provides[] = {
      zz::port("dump_folder", ZZ_STR, "the folder that the files of this stage go to").optional()};

  void prepare();
  Results run(Value ctx);

 private:
  ResultFiles files() const { return {dump_folder, dump_filename_pattern, "simple"}; }
};

}  // namespace zz::plugins
