#include "plugins/onnx/stream_onnx_model_parser_stage.hpp"

#include <utility>

#include "core/input/onnx/reading_deviations.hpp"
#include "core/input/onnx/workload.hpp"
#include "plugins/internal/deviations.hpp"

namespace zz::plugins {

Results StreamONNXModelParserStage::run(Value ctx) {
  core::OnnxSettings settings = onnx_settings(ctx);
  return run_with(
      [settings = std::move(settings)](const std::string& path, const core::MappingFile& mapping,
                                       const core::Rules& rules, core::Diagnostics& diagnostics) {
        core::Workload network = core::read_stream_onnx(path, mapping, rules, diagnostics, settings);
        if (!rules.onnx_operators_of_zigzag) {
          for (const std::string& layer : core::layers_read_otherwise_by_stream(network, settings))
            tell_of_deviations({&core::Rules::onnx_operators_of_zigzag}, layer);
        }
        return network;
      },
      std::move(ctx));
}

}  // namespace zz::plugins
