#include "core/hardware/layer_fit.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;

TEST_CASE("of several layers the first that does not fit is told, and how many more do not") {
  const Accelerator accelerator = zz::test::small_accelerator(64, 1 << 16, 8);
  const auto layer = [&](std::int64_t rows, const char* weights = nullptr) {
    Layer made = zz::test::gemm(rows, 8, 12);
    REQUIRE(made.mapping.memory_operands.size() > 1);
    if (weights != nullptr) made.mapping.memory_operands[1].memory_operand = weights;
    return std::make_shared<const Layer>(made);
  };
  CHECK(why_not_all_fit({layer(6), layer(600)}, accelerator) == "");
  const std::string one = why_not_all_fit({layer(6), layer(6, "elsewhere"), layer(600)}, accelerator);
  CHECK(one.find("elsewhere") != std::string::npos);
  CHECK(one.find("more of") == std::string::npos);
  // Sizes do not count, links do.
  CHECK(why_not_all_fit({layer(6, "elsewhere"), layer(6), layer(8, "elsewhere")}, accelerator) ==
        one + "\n(and 1 more of 3 layers)");
}
