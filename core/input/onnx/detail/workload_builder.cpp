#include "core/input/onnx/detail/workload_builder.hpp"

#include <fmt/format.h>
#include <memory>

#include "core/base/text.hpp"

namespace zz::core::onnx_import {

std::string WorkloadBuilder::unique_name(std::string name) {
  if (!names_.insert(name).second) name += fmt::format("#{}", next_id_);
  names_.insert(name);
  return name;
}

void WorkloadBuilder::add_edges(const std::vector<std::int64_t>& from, std::int64_t to) {
  for (const std::int64_t source : from)
    if (known_edges_.emplace(source, to).second) workload_.edges.emplace_back(source, to);
}

std::int64_t WorkloadBuilder::add_layer(Layer layer) {
  layer.id = next_id_++;
  for (const int operand : layer.source_order)
    add_edges(layer.operands[static_cast<std::size_t>(operand)].sources, layer.id);
  workload_.node_order.push_back(layer.id);
  workload_.layers.push_back(std::make_shared<const Layer>(std::move(layer)));
  return next_id_ - 1;
}

std::int64_t WorkloadBuilder::add_node(const std::string& name, const std::string& op_type,
                                       ShapeChange change, std::vector<std::int64_t> sources,
                                       std::int64_t output_elements) {
  PassThroughNode result;
  result.id = next_id_++;
  result.name = name;
  result.type = lower_case(op_type);
  result.sources = std::move(sources);
  result.output_elements = output_elements;
  result.shape_change = std::move(change);
  add_edges(result.sources, result.id);
  workload_.node_order.push_back(result.id);
  workload_.pass_through.push_back(std::move(result));
  return next_id_ - 1;
}

}  // namespace zz::core::onnx_import
