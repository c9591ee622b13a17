#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/source_mark.hpp"
#include "core/workload/layer.hpp"

namespace zz::plugins {

/// A loop in the index of a tensor, with the number that it is multiplied by.
struct IndexTerm {
  std::int64_t factor = 1;
  std::string loop;
};

/// A tensor of an Einsum: each of its axes is indexed by a loop, or by a sum of two.
struct EinsumTensor {
  std::string name;
  std::vector<std::vector<IndexTerm>> axes;
  std::int64_t bits = 8;
  std::optional<std::int64_t> sum_bits = {};  ///< of a result that is not finished; none: the same
  bool constant = false;                      ///< no layer makes it
  std::vector<std::int64_t> sources = {};     ///< ids of the layers that make it
  core::SourceMark mark = {};
};

/// A product of two tensors, summed over the loops that the output lacks.
struct Einsum {
  std::int64_t id = 0;
  std::string name;
  std::string type;
  std::vector<core::LoopDimension> loops;  ///< names in upper case
  EinsumTensor output, input, weight;
  std::vector<core::OperandSparsity> sparsity = {};  ///< of the layer's operands
  core::SourceMark mark;
};

/// The layer of an Einsum. Its operands are O, I and W, at the memory operands O, I1 and I2; an axis with a
/// sum of two loops becomes a relation. Says in `diagnostics` what a layer cannot be, and then returns an
/// incomplete one.
core::Layer layer_of(const Einsum& einsum, core::Diagnostics& diagnostics);

}  // namespace zz::plugins
