#include "core/input/onnx/product.hpp"

#include <limits>

namespace zz::core::onnx_import {

std::int64_t mac_count(const Product& product) {
  std::int64_t count = 1;
  for (const LoopDimension& loop : product.loops) {
    if (loop.size == 0) return 0;
    if (count > std::numeric_limits<std::int64_t>::max() / loop.size)
      return std::numeric_limits<std::int64_t>::max();
    count *= loop.size;
  }
  return count;
}

}  // namespace zz::core::onnx_import
