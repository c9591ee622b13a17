#include "core/multicore/schedule/capacity_check.hpp"

#include <doctest/doctest.h>
#include <vector>

#include "core/multicore/schedule/detail/offchip_level.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz;

TEST_CASE("what has to fit is the largest need of a layer's nodes, by default") {
  const core::ComputationNodeGraph graph = test::small_graph_of_products(3);
  // O 4 * 8 * 16, W 8 * 16 * 8, I 4 * 16 * 8; the last node of the second layer reads three tensors.
  CHECK(core::capacity_needs(graph, core::Rules{}) ==
        std::vector<core::OperandBits>{{512, 1024, 512}, {512, 1024, 3 * 256}});
}

TEST_CASE("Stream asks what the first node needs, by its dependencies") {
  const core::ComputationNodeGraph graph = test::small_graph_of_products(3);
  CHECK(core::capacity_needs(graph, core::rules_of("stream-0.0.8")) ==
        std::vector<core::OperandBits>{{512, 1024, 512}, {512, 1024, 256}});
}

TEST_CASE("the smallest operands stay while the others pass through") {
  const core::Layer tile = test::product(0, 4);
  const auto too_large = [&](std::int64_t size, const core::OperandBits& needs) {
    return core::too_large_operands(tile, test::small_core(size), needs);
  };
  SUBCASE("everything fits exactly") { CHECK(too_large(2048, {512, 1024, 512}).empty()); }
  SUBCASE("the weights pass to 16 registers of 8 bits") {
    CHECK(too_large(1024 + 128, {512, 1024, 512}) == std::vector{1});
  }
  SUBCASE("no room for the registers: the next smallest goes, and its only memory is this one") {
    CHECK(too_large(1024 + 127, {512, 1024, 512}) == std::vector{2, 0, 1});
  }
  SUBCASE("nothing fits") { CHECK(too_large(100, {512, 1024, 300}) == std::vector{2, 0, 1}); }
}

TEST_CASE("the off-chip level holds the streamed operands and no others") {
  const core::MultiCoreAccelerator cores = test::two_small_cores(4096);
  const core::Accelerator extended =
      core::with_offchip_level(*cores.cores[0], *cores.cores[2], {"O", "I2"}, core::Rules{});
  REQUIRE(extended.memories.size() == 3);
  const core::Memory& dram = extended.memories.back();
  CHECK(dram.name == "dram");
  CHECK(dram.operands == std::vector<std::string>{"O", "I2"});
  CHECK(dram.served_dimensions == std::vector<std::string>{"D1", "D2"});
  CHECK(dram.ports[0].allocation.size() == 6);
  CHECK_NOTHROW(extended.validate());
  CHECK(core::same_instance(dram, cores.cores[2]->memories[0]));
  SUBCASE("for Stream it serves what its file says") {
    const core::Accelerator streams =
        core::with_offchip_level(*cores.cores[0], *cores.cores[2], {"O"}, core::rules_of("stream-0.0.8"));
    CHECK(streams.memories.back().served_dimensions == std::vector<std::string>{"D1"});
  }
  SUBCASE("a memory of that name gets another one") {
    const core::Accelerator twice =
        core::with_offchip_level(extended, *cores.cores[2], {"I1"}, core::Rules{});
    CHECK(twice.memories.back().name == "dram_offchip");
  }
}
