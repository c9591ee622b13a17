#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/input/onnx/tensor.hpp"
#include "core/workload/workload.hpp"

namespace zz::core::onnx_import {

/// Lengths of the data of an operand, as operators see them: groups and their channels are one axis.
Shape data_lengths(const Layer& layer, int operand);

/// True when each axis of `merged` is one or several neighbouring axes of `shape`: the elements are in the
/// same order.
bool merges_neighbours(const Shape& merged, const Shape& shape);

/// A workload for several cores while its nodes are added, in an order in which they run. Ids count up.
class StreamWorkloadBuilder {
 public:
  /// The id of the next node.
  std::int64_t next_id() const { return next_id_; }
  /// Leaves it out.
  void skip_id() { ++next_id_; }

  /// The name, with a number behind it when another layer has it.
  std::string unique_name(std::string name);

  /// Adds a layer with its id, sources and mapping; the id.
  std::int64_t add_layer(Layer layer);

  /// A pass-through node; the id.
  std::int64_t add_node(const std::string& name, const std::string& op_type, ShapeChange change,
                        std::vector<std::int64_t> sources, std::int64_t output_elements);
  /// One whose result may come from any element of its sources.
  std::int64_t add_any_element(const std::string& name, const std::string& op_type,
                               std::vector<std::int64_t> sources);

  /// The shape in which a layer or pass-through node writes its data; empty when that is not known.
  Shape shape_of(std::int64_t id) const;
  const Layer& last_layer() const { return *workload_.layers.back(); }
  Workload take() { return std::move(workload_); }

 private:
  void add_edges(const std::vector<std::int64_t>& from, std::int64_t to);

  std::set<std::pair<std::int64_t, std::int64_t>> known_edges_;
  std::set<std::string> names_;
  std::int64_t next_id_ = 0;
  Workload workload_;
};

}  // namespace zz::core::onnx_import
