#include "plugins/onnx/onnx_model_parser_stage.hpp"

#include <string>
#include <utility>

#include "core/input/onnx/reading_deviations.hpp"
#include "core/input/onnx/workload.hpp"
#include "plugins/internal/deviations.hpp"

namespace zz::plugins {

Results ONNXModelParserStage::run(Value ctx) {
  if (!vector_unit.empty() && !compat.empty())
    throw Error(ZZ_E_INVALID, "'vector_unit' cannot be combined with 'compat': ZigZag has no vector unit");
  core::OnnxSettings settings = onnx_settings(ctx);
  settings.vector_layers = !vector_unit.empty();
  return run_with(
      [settings = std::move(settings)](const std::string& path, const core::MappingFile& mapping,
                                       const core::Rules& rules, core::Diagnostics& diagnostics) {
        core::Workload network = core::read_onnx(path, mapping, rules, diagnostics, settings);
        if (!rules.onnx_operators_of_zigzag) {
          for (const std::string& layer : core::layers_read_otherwise(network, settings))
            tell_of_deviations({&core::Rules::onnx_operators_of_zigzag}, layer);
        }
        return network;
      },
      std::move(ctx));
}

}  // namespace zz::plugins
