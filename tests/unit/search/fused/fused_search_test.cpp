#include "core/search/fused/fused_search.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/fused_check.hpp"
#include "tests/unit/search/fused/brute_force.hpp"
#include "tests/unit/search/fused/einsums.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace zz {
namespace {

/// The least over all orders in which each layer comes behind what it reads.
double least_of_all(const test::EinsumNetwork& network, const core::FusedNetwork& layers,
                    core::Objective objective, const std::string& exchange_memory) {
  std::vector<int> order(network.einsums.size());
  std::iota(order.begin(), order.end(), 0);
  double least = core::infinite;
  do {
    test::EinsumNetwork turned = network;
    std::set<std::string> written;
    bool legal = true;
    for (std::size_t at = 0; at < order.size(); ++at) {
      turned.einsums[at] = network.einsums[static_cast<std::size_t>(order[at])];
      std::vector<std::string> read = turned.einsums[at].added;
      for (const auto& [tensor, letters] : turned.einsums[at].inputs) read.push_back(tensor);
      for (const std::string& tensor : read)
        legal = legal &&
                (written.count(tensor) > 0 ||
                 std::none_of(network.einsums.begin(), network.einsums.end(),
                              [&](const test::Einsum& other) { return other.output.first == tensor; }));
      written.insert(turned.einsums[at].output.first);
    }
    if (legal)
      least = std::min(
          least,
          test::brute_force(turned, core::reordered(layers, order), objective, exchange_memory).value);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// Machine of groups besides the array, or another array.
enum class Machine {
  array,            ///< every second one has registers below the buffer
  unit,             ///< layers of a kind run on a vector unit, which shares the buffer
  moves,            ///< the buffer holds inputs only, a memory of sums moves results there
  store,            ///< a larger memory above the buffer: either can be the exchange memory
  store_and_moves,  ///< both
  store_and_unit,   ///< the vector unit shares the larger memory, which is to be the exchange memory
};

/// Seeds from `first` on. Of the latency, and of the EDP, the bounds are compared: brute force is where all
/// loading hides.
void compare_with_brute_force(std::uint64_t first, int groups,
                              core::Objective objective = core::Objective::energy,
                              test::RandomGroup (*make)(std::uint64_t, bool) = &test::random_group,
                              Machine machine = Machine::array) {
  const bool moves = machine == Machine::moves || machine == Machine::store_and_moves;
  const bool unit = machine == Machine::unit || machine == Machine::store_and_unit;
  const bool store = machine >= Machine::store;
  std::vector<std::string> exchange_memories = {"buffer"};
  if (store)
    exchange_memories =
        unit ? std::vector<std::string>{"store"} : std::vector<std::string>{"buffer", "store"};
  int pays = 0, compared = 0, in_buffer = 0, in_store = 0;
  for (std::uint64_t seed = first; compared < groups; ++seed) {
    test::RandomGroup group = make(seed, moves || seed / 8 % 2 == 1);
    if (store) group = test::with_store(group, seed);
    if (moves) group.unit.accumulator_bits = 2 * std::exchange(group.unit.register_bits, 0);
    CAPTURE(seed);
    CAPTURE(group.network.kind);
    core::FusedNetwork network;
    try {
      const core::Accelerator array = test::accelerator(group.unit);
      const core::Workload workload = test::workload(group.network);
      network = unit ? test::fusable_with_unit(workload, array, test::vector_unit(group.unit), objective)
                     : test::fusable(workload, array, objective);
      const bool has_unit = std::any_of(network.layers.begin(), network.layers.end(),
                                        [](const auto& layer) { return layer.on_vector_unit(); });
      if (has_unit != unit) continue;
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found =
        core::find_fused_mapping(network, {.objective = objective, .exchange_memories = exchange_memories});
    double all = core::infinite;
    for (const std::string& exchange_memory : exchange_memories)
      all = std::min(all, least_of_all(group.network, network, objective, exchange_memory));
    if (objective == core::Objective::energy) {
      CHECK(found.value == doctest::Approx(all).epsilon(1e-9));
      CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
      if (seed % 4 == 1) {
        const core::FusedOptimum by_layers =
            core::find_fused_mapping(network, {.exchange_memories = exchange_memories, .on_chip = 0});
        CHECK(by_layers.value == doctest::Approx(all).epsilon(1e-9));
        CHECK(by_layers.lower_bound == doctest::Approx(all).epsilon(1e-9));
      }
      core::FusedOptions roughly;
      roughly.exchange_memories = exchange_memories;
      roughly.limits.gap = seed % 2 == 0 ? 0.05 : 0.4;
      const core::FusedOptimum near = core::find_fused_mapping(network, roughly);
      CHECK(near.lower_bound <= all * (1 + 1e-9));
      CHECK(near.value <= near.lower_bound * (1 + roughly.limits.gap) * (1 + 1e-9));
    } else if (objective == core::Objective::latency) {
      CHECK(found.lower_bound == doctest::Approx(all).epsilon(1e-9));
    } else {
      CHECK(found.lower_bound <= all * (1 + 1e-9));
    }
    CHECK(found.value >= all * (1 - 1e-9));
    CHECK(found.latency.hidden <= found.latency.evaluated * (1 + 1e-12));
    CHECK(found.latency.evaluated <= found.latency.promised);
    CHECK(found.value == core::value_of(objective, found.energy, found.latency.evaluated));
    CHECK(found.value <= found.unfused * (1 + 1e-12));
    CHECK(core::fused_violations(found.network, found.mapping).empty());
    if (const int exchange_memory = core::exchange_memory_of(found.mapping); exchange_memory >= 0)
      ++(core::exchange_memory_name(found.network, exchange_memory) == "store" ? in_store : in_buffer);
    pays += found.value < found.unfused * (1 - 1e-9) ? 1 : 0;
    ++compared;
  }
  if (exchange_memories.size() > 1 && groups >= 20) CHECK(std::min(in_buffer, in_store) > 0);
  CHECK(2 * pays > groups);
}

}  // namespace

TEST_CASE("fused: equal to brute force over small groups") {
  compare_with_brute_force(1, test::daily(24, 200));
}

TEST_CASE("fused: equal to brute force with numbers in blocks") {
  compare_with_brute_force(1, test::daily(8, 200), core::Objective::energy, &test::random_blocks);
  compare_with_brute_force(1, test::daily(3, 40), core::Objective::energy, &test::random_blocks,
                           Machine::moves);
  compare_with_brute_force(1, test::daily(3, 30), core::Objective::energy, &test::random_blocks,
                           Machine::store);
}

TEST_CASE("fused: numbers in blocks have a bound of latency and EDP") {
  compare_with_brute_force(1, test::daily(3, 40), core::Objective::latency, &test::random_blocks);
  compare_with_brute_force(1, test::daily(3, 40), core::Objective::edp, &test::random_blocks);
}

TEST_CASE("fused: a group of one layer in blocks costs what the layer costs by itself") {
  int alone = 0;
  for (std::uint64_t seed = 1; alone < 20; ++seed) {
    test::RandomGroup group = test::random_blocks(seed, seed % 2 == 0);
    group.network.einsums.resize(1);
    CAPTURE(seed);
    try {
      const core::FusedNetwork network =
          test::fusable(test::workload(group.network), test::accelerator(group.unit));
      const core::FusedOptimum found = core::find_fused_mapping(network, {});
      CHECK(found.energy == network.layers.front().by_itself->energy);
      CHECK(found.latency.evaluated == network.layers.front().by_itself->latency);
      ++alone;
    } catch (const core::NoResult&) {
      continue;  // the layer does not fit
    }
  }
}

TEST_CASE("fused: equal to brute force where results are moved to a memory of inputs") {
  compare_with_brute_force(1, test::daily(8, 100), core::Objective::energy, &test::random_group,
                           Machine::moves);
}

TEST_CASE("fused: equal to brute force where either of two memories can be the exchange memory") {
  compare_with_brute_force(1, test::daily(3, 60), core::Objective::energy, &test::random_group,
                           Machine::store);
  compare_with_brute_force(1, test::daily(3, 20), core::Objective::energy, &test::random_filters,
                           Machine::store);
}

TEST_CASE(
    "fused: equal to brute force with an exchange memory that not all layers have, and one that results "
    "are moved to") {
  compare_with_brute_force(1, test::daily(3, 40), core::Objective::energy, &test::random_group,
                           Machine::store_and_moves);
  compare_with_brute_force(1, test::daily(3, 20), core::Objective::energy, &test::random_group,
                           Machine::store_and_unit);
}

TEST_CASE("fused: equal to brute force with either exchange memory over thousands of groups" *
          doctest::skip()) {
  compare_with_brute_force(500000, 2000, core::Objective::energy, &test::random_group, Machine::store);
  compare_with_brute_force(500000, 1000, core::Objective::energy, &test::random_filters, Machine::store);
  compare_with_brute_force(500000, 500, core::Objective::energy, &test::random_group,
                           Machine::store_and_moves);
}

TEST_CASE("fused: equal to brute force over thousands of groups" * doctest::skip()) {
  compare_with_brute_force(100000, 2000);
  compare_with_brute_force(300000, 1000, core::Objective::energy, &test::random_group, Machine::moves);
}

TEST_CASE("fused: equal to brute force where a vector unit shares the buffer") {
  compare_with_brute_force(1, test::daily(5, 40), core::Objective::energy, &test::random_group,
                           Machine::unit);
}

TEST_CASE("fused: layers share loops on an accelerator with keys that ZigZag does not know") {
  int sharing = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const test::RandomGroup group = test::random_group(seed, false);
    core::Accelerator array = test::accelerator(group.unit);
    for (core::Memory& memory : array.memories) memory.tile_interval = 1;
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), array);
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {});
    CHECK(found.latency.promised >= found.latency.evaluated);
    for (const core::FusedLayer& layer : found.mapping.layers) sharing += layer.shared.empty() ? 0 : 1;
  }
  CHECK(sharing > 0);
}

TEST_CASE("fused: a vector unit that lacks the exchange memory stays alone") {
  const test::EinsumNetwork attention{"attention",
                                      {{'m', 4}, {'p', 4}, {'e', 2}, {'f', 2}},
                                      {{"scores", {{"q", "me"}, {"k", "pe"}}, {"s", "mp"}},
                                       {"softmax", {{"s", "mp"}}, {"t", "mp"}},
                                       {"context", {{"t", "mp"}, {"v", "pf"}}, {"o", "mf"}}}};
  const core::Workload workload = test::workload(attention);
  const test::BufferedUnit sizes{8 * 40, 8};
  const core::FusedNetwork together =
      test::fusable_with_unit(workload, test::accelerator(sizes), test::vector_unit(sizes));
  const core::FusedOptimum found = core::find_fused_mapping(together, {});
  for (const int layer : {0, 1})
    CHECK(found.mapping.layers[static_cast<std::size_t>(layer)].operands[0].role ==
          core::FusedOperand::Role::exchanged);
  CHECK(core::exchange_memory_name(found.network, core::exchange_memory_of(found.mapping)) == "buffer");
  CHECK(found.mapping.layers[1].problem.accelerator->memories.front().name == "lanes");

  core::FusedNetwork apart = together;
  for (core::NetworkLayer& layer : apart.layers)
    if (layer.on_vector_unit()) layer.in_common.assign(layer.in_common.size(), -1);
  const core::FusedOptimum alone = core::find_fused_mapping(apart, {});
  CHECK(core::groups_of(alone.network, alone.mapping).empty());
  CHECK(alone.value > found.value);
}

TEST_CASE("fused: a normalisation on a vector unit has whole rows, softmax may have parts of them") {
  const test::EinsumNetwork network{"work on rows",
                                    {{'m', 4}, {'p', 4}, {'e', 2}, {'f', 2}},
                                    {{"scores", {{"q", "me"}, {"k", "pe"}}, {"s", "mp"}},
                                     {"rows", {{"s", "mp"}}, {"t", "mp"}},
                                     {"context", {{"t", "mp"}, {"v", "pf"}}, {"o", "mf"}}}};
  const test::BufferedUnit sizes{8 * 40, 8};
  for (const char* type : {"softmax", "norm"}) {
    CAPTURE(type);
    core::Workload workload = test::workload(network);
    core::Layer rows = *workload.layers[1];
    rows.type = type;
    rows.vector_work = true;
    workload.layers[1] = std::make_shared<const core::Layer>(rows);
    const core::FusedNetwork fusable =
        test::fusable_with_unit(workload, test::accelerator(sizes), test::vector_unit(sizes));
    for (const core::NetworkTensor& tensor : fusable.tensors)
      CHECK(tensor.uses.front().axes.size() == (std::string(type) == "softmax" ? 2 : 1));
  }
}

TEST_CASE("fused: equal to brute force over rows that windows slide along") {
  compare_with_brute_force(1, test::daily(6, 60), core::Objective::energy, &test::random_filters);
}

TEST_CASE("fused: equal to brute force over rows of results that are moved to a memory of inputs") {
  compare_with_brute_force(1, test::daily(4, 40), core::Objective::energy, &test::random_filters,
                           Machine::moves);
}

TEST_CASE("fused: equal to brute force over rows of thousands of groups" * doctest::skip()) {
  compare_with_brute_force(100000, 2000, core::Objective::energy, &test::random_filters);
  compare_with_brute_force(300000, 1000, core::Objective::energy, &test::random_filters, Machine::moves);
}

TEST_CASE("fused: no mapping of small groups has a latency below the bound") {
  compare_with_brute_force(1, test::daily(3, 14), core::Objective::latency);
  compare_with_brute_force(1, test::daily(1, 14), core::Objective::latency, &test::random_group,
                           Machine::store);
}

TEST_CASE("fused: no mapping of small groups has an EDP below the bound") {
  compare_with_brute_force(1, test::daily(3, 14), core::Objective::edp);
  compare_with_brute_force(1, test::daily(1, 14), core::Objective::edp, &test::random_group,
                           Machine::store);
}

TEST_CASE("fused: 1 x 1 filters are products, and equal to brute force") {
  test::NetworkBuilder builder;
  builder.add(test::conv_layer(0, {.k = 3, .c = 2, .oy = 2, .ox = 3, .iy = 2, .ix = 3}, -1));
  builder.add(test::conv_layer(1, {.k = 2, .c = 3, .oy = 2, .ox = 3, .iy = 2, .ix = 3}, 0));
  test::EinsumNetwork products{"products",
                               {{'a', 2}, {'b', 3}, {'c', 2}, {'m', 2}, {'p', 3}},
                               {{"first", {{"x", "amp"}, {"u", "ba"}}, {"y", "bmp"}},
                                {"second", {{"y", "bmp"}, {"v", "cb"}}, {"z", "cmp"}}}};
  products.sum_bits = 16;
  int pays = 0;
  for (const std::int64_t buffer : {6, 10, 16, 24, 40}) {
    CAPTURE(buffer);
    const core::Accelerator accelerator = test::accelerator({8 * buffer, 8});
    const core::FusedNetwork of_products = test::fusable(test::workload(products), accelerator);
    const core::FusedNetwork filters = test::fusable(builder.workload(), accelerator);
    const core::FusedOptimum found = core::find_fused_mapping(filters, {});
    CHECK(found.value == doctest::Approx(test::brute_force(products, of_products).value).epsilon(1e-9));
    CHECK(found.value == doctest::Approx(core::find_fused_mapping(of_products, {}).value).epsilon(1e-12));
    CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
    CHECK(core::fused_violations(found.network, found.mapping).empty());
    const bool cut = found.mapping.layers.front().with_next > 0;
    pays += cut && found.value < found.unfused ? 1 : 0;
  }
  CHECK(pays > 0);
}

TEST_CASE("fused: the channels of expansion, filter by channel and projection are one shared loop") {
  test::NetworkBuilder builder;
  builder.add(test::conv_layer(0, {.k = 8, .c = 2, .oy = 3, .ox = 3, .iy = 3, .ix = 3}, -1));
  builder.add(
      test::conv_layer(1, {.g = 8, .oy = 3, .ox = 3, .fy = 3, .fx = 3, .padding = 1, .iy = 3, .ix = 3}, 0));
  builder.add(test::conv_layer(2, {.k = 2, .c = 8, .oy = 3, .ox = 3, .iy = 3, .ix = 3}, 1));
  // 18 inputs and 18 sums of 16 bits stay, and of one channel 9 elements behind either layer. All channels
  // have 72.
  const core::FusedNetwork network = test::fusable(builder.workload(), test::accelerator({8 * 90, 8}));
  const core::FusedOptimum found = core::find_fused_mapping(network, {});
  CHECK(core::fused_violations(found.network, found.mapping).empty());
  for (const core::FusedLayer& layer : found.mapping.layers) {
    REQUIRE(layer.shared.size() == 1);
    CHECK(network.axis_names[static_cast<std::size_t>(layer.shared.front().axis)] == "conv0.K");
  }
  // Inputs, weights of three layers, and results cross once, at 8 pJ an element.
  CHECK(found.value == 8 * (18 + 16 + 72 + 16 + 18));
}

namespace {

/// Of the axis that most layers have, which tiles need not divide.
void compare_last_tiles(int groups) {
  int shorter = 0, compared = 0;
  for (std::uint64_t seed = 1; compared < groups; ++seed) {
    test::RandomGroup group = test::random_group(seed, seed / 8 % 2 == 1);
    const std::int64_t rows = seed % 3 == 0 ? 7 : 5;
    const char axis = group.network.kind == "attention with values" ? 'p' : 'm';
    group.network.sizes[axis] = rows;
    CAPTURE(seed);
    CAPTURE(group.network.kind);
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit));
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {.enlarge = 0.2});
    const double even = least_of_all(group.network, network, core::Objective::energy, "buffer");
    test::EinsumNetwork longer = group.network;
    longer.sizes[axis] = rows + 1;
    const double uneven = least_of_all(longer, network, core::Objective::energy, "buffer");
    // Of layers in no group it has the better of both.
    CHECK(found.value <= std::min(even, uneven) * (1 + 1e-9));
    CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
    CHECK(core::fused_violations(found.network, found.mapping).empty());
    if (uneven < even * (1 - 1e-9)) {
      CHECK(found.value == doctest::Approx(uneven).epsilon(1e-9));
      ++shorter;
    }
    ++compared;
  }
  CHECK(6 * shorter > groups);
}

}  // namespace

TEST_CASE("fused: equal to brute force where the last tile of an axis is smaller") {
  compare_last_tiles(test::daily(3, 10));
}

TEST_CASE("fused: equal to brute force over hundreds of groups where a last tile is smaller" *
          doctest::skip()) {
  compare_last_tiles(300);
}

TEST_CASE("fused: a last tile may be smaller than the others") {
  int better = 0;
  for (const std::int64_t rows : {5, 7, 11, 13}) {
    for (const std::int64_t buffer : {24, 40, 64}) {
      const test::EinsumNetwork chain{"chain",
                                      {{'m', rows}, {'a', 2}, {'b', 6}, {'c', 2}},
                                      {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                                       {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
      const core::FusedNetwork network =
          test::fusable(test::workload(chain), test::accelerator({8 * buffer, 8}));
      const core::FusedOptimum even = core::find_fused_mapping(network, {});
      const core::FusedOptimum found = core::find_fused_mapping(network, {.enlarge = 0.2});
      CAPTURE(rows);
      CAPTURE(buffer);
      CHECK(found.value <= even.value);
      CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
      CHECK(core::fused_violations(found.network, found.mapping).empty());
      if (!(found.value < even.value)) continue;
      ++better;
      CHECK(found.mapping.layers.front().problem.layer->loop_size("M") == rows);
      CHECK(found.network.lengths == std::pair<std::int64_t, std::int64_t>(rows, rows + 1));
      // Never below what crosses without any loop shared or brought again.
      CHECK(found.value >= static_cast<double>(8 * (rows * 4 + 2 * 12)));
    }
  }
  CHECK(better > 0);
}

}  // namespace zz
