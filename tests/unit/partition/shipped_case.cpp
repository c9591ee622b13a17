#include "tests/unit/partition/shipped_case.hpp"

#include "core/base/diagnostics.hpp"
#include "core/input/onnx/workload.hpp"
#include "core/input/stream/multi_core_yaml.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "tests/unit/multicore/schedule/recorded_costs.hpp"

namespace zz::test {

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

core::AnswerQuestions default_answers() {
  return [](const std::vector<core::CoreCostQuestion>& questions, std::vector<std::string>&) {
    std::vector<std::shared_ptr<const core::Evaluation>> answers;
    for (const core::CoreCostQuestion& question : questions) answers.push_back(answer(question, 4, false));
    return answers;
  };
}

}  // namespace zz::test
