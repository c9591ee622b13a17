#include "core/search/fused/layer_menus.hpp"

#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/fused_check.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/search/fused/homes.hpp"
#include "tests/unit/search/fused/einsums.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace zz {
namespace {

constexpr int buffer = 3;

/// 2 x 2 units with a register for weights in each, one for sums along D1 and one for inputs along D2,
/// below the buffer.
core::Accelerator units(const test::BufferedUnit& sizes, std::int64_t register_bits) {
  core::Accelerator made = test::accelerator(sizes);
  const auto add = [&](const char* name, std::vector<std::string> operands,
                       std::vector<std::string> served) {
    core::Memory memory =
        test::one_port_memory(name, register_bits, std::move(operands), std::move(served), sizes.word, 64);
    memory.read_cost = memory.write_cost = 0.25;
    return memory;
  };
  std::vector<core::Memory> memories = {add("register_W", {"I2"}, {}), add("register_O", {"O"}, {"D1"}),
                                        add("register_I", {"I1"}, {"D2"})};
  for (core::Memory& memory : made.memories) {
    memory.served_dimensions = {"D1", "D2"};
    memories.push_back(memory);
  }
  core::Accelerator found = test::accelerator_with("units", {2, 2}, std::move(memories));
  found.array.unit_energy = 0;
  return found;
}

core::JointOptions joint_options() {
  core::JointOptions options;
  options.mixed = true;
  return options;
}

/// The network of a random group on 2 x 2 units; without layers where one does not fit. `store`: a second
/// memory can be a home.
core::FusedNetwork random_network(std::uint64_t seed, test::RandomGroup (*make)(std::uint64_t, bool),
                                  bool store = false) {
  test::RandomGroup group = make(seed, false);
  if (store) group = test::with_store(group, seed);
  try {
    core::FusedNetwork network = test::fusable(
        test::workload(group.network), units(group.unit, 8 * static_cast<std::int64_t>(2 + seed / 8 % 3)));
    return network;
  } catch (const core::NoResult&) {
    return {};
  }
}

/// Calls use(network) with each combination of the layers' unrollings, without menus.
template <class Use>
void each_combination(core::FusedNetwork network, std::size_t layer, const Use& use) {
  if (layer == network.layers.size()) {
    use(network);
    return;
  }
  std::vector<core::SpatialUnrolling> menu;
  std::swap(menu, network.layers[layer].menu);
  each_combination(network, layer + 1, use);
  for (const core::SpatialUnrolling& other : menu)
    each_combination(core::unrolled(network, static_cast<int>(layer), other), layer + 1, use);
}

void compare_with_all_combinations(int groups, test::RandomGroup (*make)(std::uint64_t, bool),
                                   bool store = false) {
  int better = 0, otherwise = 0, compared = 0;
  for (std::uint64_t seed = 1; compared < groups; ++seed) {
    core::FusedNetwork network = random_network(seed, make, store);
    if (network.layers.empty()) continue;
    CAPTURE(seed);
    const std::vector<int> homes = core::possible_homes(*network.layers.front().problem.accelerator, {});
    CHECK(homes.size() == (store ? 2 : 1));
    const double fixed = core::find_fused_mapping(network, {}).value;
    core::add_menus(network, homes, joint_options(), network.layers.size() > 2 ? 2 : 4);
    double least = core::infinite;
    each_combination(network, 0, [&](const core::FusedNetwork& combination) {
      least = std::min(least, core::find_fused_mapping(combination, {}).value);
    });
    const core::FusedOptimum found = core::find_fused_mapping(network, {});
    CHECK(found.value == doctest::Approx(least).epsilon(1e-9));
    CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
    CHECK(found.value <= fixed);
    CHECK(core::fused_violations(found.network, found.mapping).empty());
    better += found.value < fixed * (1 - 1e-9) ? 1 : 0;
    for (const core::UnrolledLayer& layer : found.network.layers)
      otherwise += layer.unrolling != layer.by_itself().unrolling ? 1 : 0;
    ++compared;
  }
  CHECK(better > groups / 10);
  CHECK(otherwise >= better);
}

}  // namespace

TEST_CASE("layer menus: the search equals the best of all combinations of unrollings") {
  compare_with_all_combinations(test::daily(20, 40), &test::random_group);
}

TEST_CASE("layer menus: the same over rows that windows slide along") {
  compare_with_all_combinations(12, &test::random_filters);
}

TEST_CASE("layer menus: the same with two homes") {
  compare_with_all_combinations(8, &test::random_group, true);
}

TEST_CASE("layer menus: the same over hundreds of groups" * doctest::skip()) {
  compare_with_all_combinations(400, &test::random_group);
  compare_with_all_combinations(150, &test::random_group, true);
  compare_with_all_combinations(150, &test::random_filters);
}

TEST_CASE("layer menus: layers that do the same work may have other menus") {
  int differ = 0;
  for (std::uint64_t seed = 40; differ < 10; ++seed) {
    test::RandomGroup group = test::random_group(8 * seed + 1, false);
    for (const char letter : std::string("abcd")) group.network.sizes[letter] = 2;
    core::FusedNetwork network;
    try {
      core::Workload workload = test::workload(group.network);
      // The last two have the same letters.
      core::Layer last = *workload.layers[1];
      last.id = workload.layers[2]->id;
      last.name = workload.layers[2]->name;
      for (std::size_t operand = 0; operand < last.operands.size(); ++operand)
        last.operands[operand].sources = workload.layers[2]->operands[operand].sources;
      workload.layers[2] = std::make_shared<const core::Layer>(last);
      network = test::fusable(workload, units(group.unit, 16));
    } catch (const core::NoResult&) {
      continue;
    }
    CAPTURE(seed);
    core::add_menus(network, {buffer}, joint_options(), 2);
    core::UnrolledLayer &second = network.layers[1], &third = network.layers[2];
    if (second.unrolling != third.unrolling || second.menu.size() < 2) continue;
    second.menu = {second.menu.front()};
    third.menu = {third.menu.back()};
    double least = core::infinite;
    each_combination(network, 0, [&](const core::FusedNetwork& combination) {
      least = std::min(least, core::find_fused_mapping(combination, {}).value);
    });
    const core::FusedOptimum found = core::find_fused_mapping(network, {});
    CHECK(found.value == doctest::Approx(least).epsilon(1e-9));
    CHECK(found.lower_bound == doctest::Approx(found.value).epsilon(1e-12));
    ++differ;
  }
}

TEST_CASE("layer menus: distinct unrollings besides the own one, of layers that exchange something") {
  core::FusedNetwork network;
  for (std::uint64_t seed = 1; network.layers.empty(); ++seed)
    network = random_network(seed, &test::random_group);
  core::add_menus(network, {buffer}, joint_options(), 100);
  for (const core::UnrolledLayer& layer : network.layers) {
    CHECK(layer.menu.size() > 2);
    for (std::size_t one = 0; one < layer.menu.size(); ++one) {
      CHECK(layer.menu[one] != layer.unrolling);
      for (std::size_t other = 0; other < one; ++other) CHECK(layer.menu[one] != layer.menu[other]);
    }
  }
  const std::vector<core::SpatialUnrolling> all = network.layers.front().menu;
  core::add_menus(network, {buffer}, joint_options(), 2);
  CHECK(network.layers.front().menu == std::vector<core::SpatialUnrolling>{all[0], all[1]});
  core::add_menus(network, {}, joint_options(), 2);
  CHECK(network.layers.front().menu.empty());
}

}  // namespace zz
