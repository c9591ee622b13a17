#pragma once
#include "core/workload/layer.hpp"

namespace zz::core {

/// Which input of a layer is its weight and which its activation, as indices into Layer::operands; -1 when
/// the layer lacks it.
struct OperandRoles {
  int activation = -1;
  int weight = -1;
};

/// The constant input is the weight. With no constant input (an addition of two feature maps) the weight is
/// the first input of the equation. With two, the activation is the one that is addressed through the
/// first relation, else the first.
OperandRoles operand_roles(const Layer& layer);

/// True when some input of the layer is constant, so that the layer has weights of its own.
bool has_constant_input(const Layer& layer);

}  // namespace zz::core
