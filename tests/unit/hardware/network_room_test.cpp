#include "core/hardware/network_room.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Its outermost memory holds all operands, once for all units.
Accelerator with_outermost(std::int64_t bits) {
  Accelerator accelerator = small_accelerator(64, 65536, 8);
  accelerator.memories.back().size = bits;
  return accelerator;
}

OutermostUse use_of(const Workload& workload, std::int64_t bits = 1'000'000) {
  const auto uses = outermost_uses(workload, workload.layers, with_outermost(bits), Rules{});
  REQUIRE(uses.size() == 1);
  return uses.front();
}

std::string problem_of(const Workload& workload, std::int64_t bits) {
  return why_network_does_not_fit(outermost_uses(workload, workload.layers, with_outermost(bits), Rules{}));
}

}  // namespace

TEST_CASE("the weights of all layers lie in the outermost memory, inputs and results those of one") {
  // 4 x 4 weights of 8 bits each; 8 x 8 and its data in the largest.
  const Workload three =
      network({product_layer(0), product_layer(1, 8), product_layer(2)}, {{0, 1}, {1, 2}});
  const OutermostUse use = use_of(three);
  CHECK(use.weights == 8 * (16 + 64 + 16));
  const Layer& largest = *three.layers[1];
  CHECK(use.working == 64 * static_cast<double>(largest.final_output_precision +
                                                largest.operands[largest.operand_index("I")].precision));
  CHECK(use.largest == largest.name);
  CHECK(use.cached == 0);
}

TEST_CASE("two inputs that no layer makes are a weight and an activation") {
  const OutermostUse use = use_of(network({gemm(4, 6, 8)}, {}));
  CHECK(use.weights == 8 * 8 * 6);
  CHECK(use.working == 8 * (4 * 8) + static_cast<double>(gemm(4, 6, 8).final_output_precision) * 4 * 6);
}

TEST_CASE("what a reader knows of a network counts in place of each layer's own") {
  Workload tied = network({product_layer(0), product_layer(1)}, {{0, 1}});
  tied.stored = StoredData{.parameters = 16};  // both read one matrix
  CHECK(use_of(tied).weights == 8 * 16);
  tied.stored = StoredData{.parameters = 1000};  // experts that no token has chosen, a table of embeddings
  CHECK(use_of(tied).weights == 8 * 1000);
  tied.stored = StoredData{.cached = 500, .cached_bits = 4};
  CHECK(use_of(tied).weights == 8 * 32);
  CHECK(use_of(tied).cached == 4 * 500);
  tied.stored = StoredData{.cached = 500};  // as wide as weights
  CHECK(use_of(tied).cached == 8 * 500);
  tied.stored = StoredData{.inputs = 90};
  CHECK(use_of(tied).total() == 8 * (32 + 90));
}

TEST_CASE("copies of the outermost memory hold parts") {
  Accelerator accelerator = with_outermost(1000);
  accelerator.memories.back().served_dimensions = {"D1"};
  const Workload one = network({product_layer(0)}, {});
  CHECK(outermost_uses(one, one.layers, accelerator, Rules{}).front().size == 2000);
}

TEST_CASE("a network that does not fit is told with what it needs and the memory has") {
  Workload network_of_two = network({product_layer(0, 400), product_layer(1, 400)}, {{0, 1}});
  const std::string memory = with_outermost(1).memories.back().name;
  CHECK(problem_of(network_of_two, 8 * 900'000).empty());
  CHECK(problem_of(network_of_two, 8 * 490'000) ==
        "320.0 kB of weights and 320.0 kB of inputs and results of layer 'layer0' on 490.0 kB of '" +
            memory + "'");
  network_of_two.stored = StoredData{.parameters = 2.01e9, .cached = 3e8, .cached_bits = 16};
  CHECK(problem_of(network_of_two, 8'000'000'000) ==
        "2.0 GB of weights and 0.6 GB of keys and values on 1.0 GB of '" + memory + "'");
  // A layer that does not fit by itself has a message of its own.
  CHECK(problem_of(network_of_two, 8 * 100'000).empty());
  // But weights and caches that do not fit are told where inputs and results of a layer do not, either.
  Workload wide = network({gemm(1'000'000, 4, 4)}, {});
  wide.stored = StoredData{.parameters = 2.01e9, .cached = 3e8, .cached_bits = 16};
  CHECK(problem_of(wide, 8 * 3'500'000)
            .starts_with("2.0 GB of weights and 0.6 GB of keys and values on 3.5 MB"));
  // As many digits as it takes, and what decides.
  network_of_two.stored = StoredData{.parameters = 999'900'000};
  CHECK(problem_of(network_of_two, 8'000'000'000)
            .starts_with("0.9999 GB of weights and 320.0000 kB of inputs and results of layer"));
}

TEST_CASE("memories are taken for larger where a layer does not fit by itself, and that is told") {
  const Workload two = network({product_layer(0, 400), product_layer(1, 200)}, {{0, 1}});
  std::vector<std::string> warnings;
  const auto check = [&](Accelerator accelerator) {
    const auto given = std::make_shared<const Accelerator>(std::move(accelerator));
    return std::pair(
        given, with_room_for_layers(given, outermost_uses(two, two.layers, *given, Rules{}), warnings));
  };
  const auto [large, same] = check(with_outermost(8'000'000));
  CHECK(large == same);
  CHECK(warnings.empty());
  const auto [small, larger] = check(with_outermost(800'000));
  const auto uses = outermost_uses(two, two.layers, *larger, Rules{});
  CHECK(static_cast<double>(larger->memories.back().size) == uses.front().of_layer);
  CHECK(small->memories.back().size == 800'000);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front() == "layers do not fit into '" + small->memories.back().name +
                                "' of accelerator '" + small->name +
                                "', which is taken to hold 480.0 kB and not 100.0 kB");
  Accelerator copies = with_outermost(400'000);
  copies.memories.back().served_dimensions = {"D1"};
  const auto [parts, whole] = check(copies);
  CHECK(outermost_uses(two, two.layers, *whole, Rules{}).front().size >= uses.front().of_layer);
}
