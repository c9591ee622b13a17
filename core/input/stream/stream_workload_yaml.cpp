#include "core/input/stream/stream_workload_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/letter_case.hpp"
#include "core/input/zigzag/workload_yaml.hpp"

namespace zz::core {
namespace {

bool has_no_source(const LayerOperand& operand) { return !operand.constant && operand.sources.empty(); }

void adapt(Layer& layer, const Rules& rules) {
  const bool unnamed = layer.name == fmt::format("Layer{}", layer.id);
  if (unnamed || rules.layer_names_lost) layer.name = fmt::format("{}_{}", layer.type, layer.id);
  layer.type = lower_case(layer.type);
  if (rules.unfed_operands_lost) return;
  for (std::size_t i = 1; i < layer.operands.size(); ++i) {
    if (!has_no_source(layer.operands[i])) continue;
    layer.operands[i].constant = true;
    layer.source_order.push_back(static_cast<int>(i));
  }
}

Workload adapted(Workload workload, const Rules& rules) {
  for (std::shared_ptr<const Layer>& layer : workload.layers) {
    Layer changed = *layer;
    adapt(changed, rules);
    layer = std::make_shared<const Layer>(std::move(changed));
  }
  return workload;
}

}  // namespace

Workload read_stream_workload(const std::string& path, const MappingFile& mapping, const Rules& rules,
                              Diagnostics& diagnostics, std::vector<std::string>* unfed,
                              const Files& files) {
  Workload workload = read_workload(path, mapping, rules, diagnostics, files);
  for (const auto& layer : workload.layers)
    if (unfed != nullptr && std::any_of(layer->operands.begin() + 1, layer->operands.end(), has_no_source))
      unfed->push_back(layer->name);
  return adapted(std::move(workload), rules);
}

Workload read_stream_workload_text(const std::string& text, const std::string& name,
                                   const MappingFile& mapping, const Rules& rules,
                                   Diagnostics& diagnostics) {
  return adapted(read_workload_text(text, name, mapping, rules, diagnostics), rules);
}

}  // namespace zz::core
