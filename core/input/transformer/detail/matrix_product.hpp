#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// A product of a matrix I of `rows` times `summed` with a matrix W of `summed` times `columns`, and as
/// many side by side as `batch` says.
struct MatrixProduct {
  std::int64_t rows = 1, columns = 1, summed = 1;
  struct Axis {
    const char* name;
    std::int64_t size = 1;
    bool of_weights = true;  ///< W has this axis, too; else it is the same along it
  };
  std::vector<Axis> batch;

  /// A banded product: row D uses the `columns` or `summed` (which of them is `band`, "K" or "C") rows of W
  /// from D on. W has `band_tokens` of them; those before its first and after its last are padding.
  std::string band;
  std::int64_t band_tokens = 0;
};

/// The layer of a product with its loops, equation and operands, without name, bits and sources.
Layer product_layer(const MatrixProduct& product);

}  // namespace zz::core
