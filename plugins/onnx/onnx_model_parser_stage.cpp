#include "plugins/onnx/onnx_model_parser_stage.hpp"

#include <string>
#include <utility>

#include "core/input/onnx/onnx_workload.hpp"

namespace zz::plugins {

Results ONNXModelParserStage::run(Value ctx) {
  if (!vector_unit.empty() && !compat.empty())
    throw Error(ZZ_E_INVALID, "'vector_unit' cannot be combined with 'compat': ZigZag has no vector unit");
  core::OnnxSettings settings = onnx_settings(ctx);
  settings.vector_layers = !vector_unit.empty();
  return run_with(
      [settings = std::move(settings)](const std::string& path, const core::MappingFile& mapping,
                                       const core::Rules& rules, core::Diagnostics& diagnostics) {
        return core::read_onnx(path, mapping, rules, diagnostics, settings);
      },
      std::move(ctx));
}

}  // namespace zz::plugins
