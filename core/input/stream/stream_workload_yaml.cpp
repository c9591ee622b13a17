#include "core/input/stream/stream_workload_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/input/zigzag/lower_case.hpp"
#include "core/input/zigzag/workload_yaml.hpp"

namespace zz::core {
namespace {

bool has_no_source(const LayerOperand& operand) { return !operand.constant && operand.sources.empty(); }

void adapt(Layer& layer, const StreamReaderOptions& options) {
  const bool unnamed = layer.name == fmt::format("Layer{}", layer.id);
  if (unnamed || options.stream_compat) layer.name = fmt::format("{}_{}", layer.type, layer.id);
  layer.type = lower_case(layer.type);
  if (options.stream_compat) return;
  for (std::size_t i = 1; i < layer.operands.size(); ++i) {
    if (!has_no_source(layer.operands[i])) continue;
    layer.operands[i].constant = true;
    layer.source_order.push_back(static_cast<int>(i));
  }
}

Workload adapted(Workload workload, const StreamReaderOptions& options) {
  for (std::shared_ptr<const Layer>& layer : workload.layers) {
    Layer changed = *layer;
    adapt(changed, options);
    layer = std::make_shared<const Layer>(std::move(changed));
  }
  return workload;
}

}  // namespace

Workload read_stream_workload(const std::string& path, const MappingFile& mapping,
                              const StreamReaderOptions& options, Diagnostics& diagnostics) {
  return adapted(read_workload(path, mapping, {.zigzag_compat = options.stream_compat}, diagnostics),
                 options);
}

Workload read_stream_workload_text(const std::string& text, const std::string& name,
                                   const MappingFile& mapping, const StreamReaderOptions& options,
                                   Diagnostics& diagnostics) {
  return adapted(
      read_workload_text(text, name, mapping, {.zigzag_compat = options.stream_compat}, diagnostics),
      options);
}

}  // namespace zz::core
