#include "plugins/parsers/stream_onnx_model_parser_stage.hpp"

#include "core/readers/mapping_yaml.hpp"
#include "core/readers/stream_onnx_workload.hpp"
#include "plugins/internal/objects.hpp"
#include "plugins/internal/warnings.hpp"

namespace zz::plugins {

Results StreamONNXModelParserStage::run(Value ctx) {
  core::Diagnostics diagnostics;
  const core::MappingFile entries = core::read_mapping(mapping, diagnostics);
  const Value network =
      wrap(core::read_stream_onnx(workload, entries, {.stream_compat = is_stream(compat)}, diagnostics));
  log_warnings(*this, diagnostics);
  const Value below = with(ctx, {{"workload"_n, network}});
  for (Result& result : substage(below)) co_yield std::move(result);
}

}  // namespace zz::plugins
