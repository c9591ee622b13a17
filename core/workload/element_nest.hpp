#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/workload/layer.hpp"

namespace zz::core {

/// The loops of work on the elements of a tensor. They are called OX; OX, OY; B, OX, OY; B, K, OX, OY by
/// the number of axes, the innermost axis OX.
struct ElementNest {
  std::vector<std::string> names;     ///< in the order of the axes
  std::vector<std::int64_t> lengths;  ///< by name

  /// As a layer lists them: width before height, as Stream does.
  std::vector<LoopDimension> loops() const;
};

/// Leading axes are one loop where there are more than four; a single number has one loop.
ElementNest element_nest(std::vector<std::int64_t> shape);

/// Makes `layer` vector work that reads I and W and writes O: equation and operands, in the order O, I, W.
struct ElementOperand {
  std::vector<std::string> dimensions;
  std::int64_t bits = 0;  ///< 0: the operand does not exist
};
void set_element_work(Layer& layer, const ElementOperand& output, const ElementOperand& input,
                      const ElementOperand& weight);

}  // namespace zz::core
