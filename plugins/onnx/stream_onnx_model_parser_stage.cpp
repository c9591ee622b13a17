#include "plugins/onnx/stream_onnx_model_parser_stage.hpp"

#include "core/input/stream/stream_onnx_workload.hpp"

namespace zz::plugins {

Results StreamONNXModelParserStage::run(Value ctx) {
  const Value below = with_network(ctx, [this](const std::string& path, const core::MappingFile& entries,
                                               core::Diagnostics& diagnostics) {
    return core::read_stream_onnx(path, entries, core::rules_of(compat), diagnostics);
  });
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
