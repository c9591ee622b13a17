#include "core/input/stream/stream_workload_builder.hpp"

#include <algorithm>

namespace zz::core::onnx_import {
namespace {

/// Products of the lengths from the front on, without axes of length 1.
Shape partial_products(const Shape& lengths) {
  Shape products;
  for (auto end = lengths.begin(); end != lengths.end(); ++end)
    if (*end != 1) products.push_back(element_count(Shape(lengths.begin(), end + 1)));
  return products;
}

}  // namespace

Shape data_lengths(const Layer& layer, int operand) {
  const std::vector<std::string>& dimensions = layer.operands[static_cast<std::size_t>(operand)].dimensions;
  Shape lengths;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    std::int64_t length = layer.loop_size(dimensions[i]);
    for (const DimensionRelation& relation : layer.relations)
      if (relation.data == dimensions[i]) length = relation.size;
    const bool of_group =
        i > 0 && dimensions[i - 1] == "G" && (dimensions[i] == "K" || dimensions[i] == "C");
    if (of_group)
      lengths.back() *= length;
    else
      lengths.push_back(length);
  }
  return lengths;
}

bool merges_neighbours(const Shape& merged, const Shape& shape) {
  const Shape few = partial_products(merged), all = partial_products(shape);
  return element_count(merged) == element_count(shape) &&
         std::includes(all.begin(), all.end(), few.begin(), few.end());
}

std::int64_t StreamWorkloadBuilder::add_any_element(const std::string& name, const std::string& op_type,
                                                    std::vector<std::int64_t> sources) {
  ShapeChange change;
  change.kind = ShapeChange::Kind::all;
  return add_node(name, op_type, std::move(change), std::move(sources), 0);
}

Shape StreamWorkloadBuilder::shape_of(std::int64_t id) const {
  for (auto layer = workload_.layers.rbegin(); layer != workload_.layers.rend(); ++layer)
    if ((*layer)->id == id) return data_lengths(**layer, 0);
  for (auto node = workload_.pass_through.rbegin(); node != workload_.pass_through.rend(); ++node)
    if (node->id == id)
      return node->shape_change.kind == ShapeChange::Kind::none && node->sources.size() == 1
                 ? shape_of(node->sources[0])
                 : node->shape_change.shape;
  return {};
}

}  // namespace zz::core::onnx_import
