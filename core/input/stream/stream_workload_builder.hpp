#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/input/onnx/tensor.hpp"
#include "core/input/onnx/workload_builder.hpp"

namespace zz::core::onnx_import {

/// Lengths of the data of an operand, as operators see them: groups and their channels are one axis.
Shape data_lengths(const Layer& layer, int operand);

/// True when each axis of `merged` is one or several neighbouring axes of `shape`: the elements are in the
/// same order.
bool merges_neighbours(const Shape& merged, const Shape& shape);

/// A workload for several cores while its nodes are added.
class StreamWorkloadBuilder : public WorkloadBuilder {
 public:
  /// A pass-through node whose result may come from any element of its sources; the id.
  std::int64_t add_any_element(const std::string& name, const std::string& op_type,
                               std::vector<std::int64_t> sources);

  /// The shape in which a layer or pass-through node writes its data; empty when that is not known.
  Shape shape_of(std::int64_t id) const;
};

}  // namespace zz::core::onnx_import
