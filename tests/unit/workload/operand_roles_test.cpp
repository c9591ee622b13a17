#include <doctest/doctest.h>

#include "core/workload/layer.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

void check(const Layer& layer, const char* activation, const char* weight) {
  const OperandRoles roles = operand_roles(layer);
  CHECK(layer.operands[roles.activation].name == activation);
  CHECK(layer.operands[roles.weight].name == weight);
}

}  // namespace

TEST_CASE("operand roles: the constant input is the weight") {
  Layer layer = gemm(2, 2, 2);
  layer.operands[1].constant = false;
  check(layer, "I", "W");
  layer.operands[1].constant = true;
  layer.operands[2].constant = false;
  check(layer, "W", "I");
}

TEST_CASE("operand roles: without constant the weight is the first input") {
  Layer layer = convolution(2, 2, 2, 2, 1);
  for (LayerOperand& operand : layer.operands) operand.constant = false;
  check(layer, "I", "W");
  CHECK_FALSE(has_constant_input(layer));
  std::swap(layer.operands[1], layer.operands[2]);
  check(layer, "W", "I");
}

TEST_CASE("operand roles: of two constants the one with a window is the activation, else the first") {
  Layer layer = convolution(2, 2, 2, 2, 1);
  check(layer, "I", "W");
  std::swap(layer.operands[1], layer.operands[2]);
  check(layer, "I", "W");
  check(gemm(2, 2, 2), "I", "W");
  CHECK(has_constant_input(layer));
}
