#include "core/hardware/layer_fit.hpp"

#include <doctest/doctest.h>

#include "core/workload/layer_precision.hpp"
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

TEST_CASE("an element that no memory holds is told with what gave it its bits") {
  Layer layer = zz::test::gemm(6, 8, 12);
  CHECK(why_no_element_fits(layer, zz::test::small_accelerator(64, 1 << 16, 8)) == "");
  const Accelerator narrow = zz::test::small_accelerator(16, 1 << 16, 8);
  set_precision(layer, "W", 32);
  const std::string set = why_no_element_fits(layer, narrow);
  CAPTURE(set);
  CHECK(set.find("too small for an element of operand W, which has 32 bits (given by the workload or by "
                 "operand_precision)") != std::string::npos);
  CHECK(set.find("--precision") == std::string::npos);
  layer.assumed_precision = {"W"};
  const std::string assumed = why_no_element_fits(layer, narrow);
  CAPTURE(assumed);
  CHECK(assumed.find("operand W, which has 32 bits (the floating-point type of its tensor)") !=
        std::string::npos);
  CHECK(assumed.find("--precision 8") != std::string::npos);
  layer.assumed_precision = {"O"};
  CHECK(said_of_bits(layer, "O").find("(the usual number for a partial sum); for 8 bits say") == 0);
  CHECK(said_of_bits(layer, "O_final").find("(given by the workload or by operand_precision); for") == 0);
}
