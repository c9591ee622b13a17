#include "core/search/fused/fused_check.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/fused/fused_search.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz {
namespace {

using Role = core::FusedOperand::Role;

/// One change of a mapping that makes it wrong. False: there is nothing to change in this way.
bool mutate(core::FusedMapping& mapping, int kind, std::mt19937_64& random) {
  auto& layers = mapping.layers;
  core::FusedLayer& layer = layers[random() % layers.size()];
  core::FusedOperand& operand = layer.operands[random() % 3];
  switch (kind) {
    case 0:  // the depth of a tile
      if (operand.role == Role::brought || layer.shared.empty()) return false;
      operand.depth += operand.depth > 0 ? -1 : 1;
      return true;
    case 1:  // the exchange memory
      if (operand.role == Role::brought) return false;
      layer.exchange_memory += random() % 2 == 0 ? 1 : -1;
      return true;
    case 2:  // a shared loop
      if (layer.shared.empty()) return false;
      layer.shared[random() % layer.shared.size()].iterations *= 2;
      return true;
    case 3:  // a kept operand
      if (operand.role != Role::kept) return false;
      operand.role = Role::brought;
      return true;
    case 4:  // the order of layers
      if (layers.front().with_next == 0) return false;
      std::swap(layers[0], layers[1]);
      return true;
    case 5:  // the number of shared loops
      if (layer.with_next == 0) return false;
      --layer.with_next;
      return true;
    default:  // a tensor that one side leaves on chip, and the other one fetches
      if (operand.role != Role::exchanged) return false;
      operand = {};
      return true;
  }
}

}  // namespace

TEST_CASE("fused check: accepts what the search finds, and refuses every mutant") {
  std::mt19937_64 random(7);
  int refused = 0, mutants = 0;
  for (std::uint64_t seed = 5000; mutants < 100; ++seed) {
    test::RandomGroup group = seed % 3 == 0 ? test::random_filters(seed, seed / 8 % 2 == 1)
                                            : test::random_group(seed, seed / 8 % 2 == 1);
    if (seed % 2 == 0) group = test::with_store(group, seed);
    CAPTURE(seed);
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit));
    } catch (const core::NoResult&) {
      continue;
    }
    const core::FusedOptimum optimum = core::find_fused_mapping(network, {});
    const core::FusedMapping& found = optimum.mapping;
    CHECK(core::fused_violations(optimum.network, found).empty());
    for (int kind = 0; kind < 7; ++kind) {
      core::FusedMapping mutant = found;
      if (!mutate(mutant, kind, random)) continue;
      CAPTURE(kind);
      ++mutants;
      const bool caught = !core::fused_violations(optimum.network, mutant).empty();
      CHECK(caught);
      refused += caught ? 1 : 0;
    }
  }
  CHECK(refused == mutants);
}

TEST_CASE("fused check: tells what does not fit, and while which layer") {
  test::EinsumNetwork chain{"chain",
                            {{'m', 4}, {'a', 4}, {'b', 4}, {'c', 4}},
                            {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                             {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  core::FusedNetwork network = test::fusable(test::workload(chain), test::accelerator({400, 8}));
  const core::FusedMapping found = core::find_fused_mapping(network, {}).mapping;
  REQUIRE(found.layers.front().operands[0].role == Role::exchanged);
  auto smaller = std::make_shared<core::Accelerator>(*network.layers.front().problem.accelerator);
  smaller->memories.front().size = 40;
  for (core::NetworkLayer& layer : network.layers) layer.problem.accelerator = smaller;
  const std::vector<std::string> wrong = core::fused_violations(network, found);
  REQUIRE(!wrong.empty());
  CHECK(wrong.front().starts_with("room: while 'first' runs, 'buffer' of 40 bits must hold "));
}

TEST_CASE("fused check: sums of units below the exchange memory are finished when they reach it") {
  // The units add over A: a result has 8 bits, a sum 16.
  test::EinsumNetwork chain{"chain",
                            {{'m', 3}, {'a', 2}, {'b', 3}, {'c', 2}},
                            {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                             {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  chain.sum_bits = 16;
  core::Workload workload = test::workload(chain);
  for (const auto& [index, loop] : {std::pair(0, "A"), std::pair(1, "C")}) {
    core::Layer unrolled = *workload.layers[static_cast<std::size_t>(index)];
    unrolled.mapping.spatial_mapping.dimensions = {{"D1", {{loop, 2}}}};
    workload.layers[static_cast<std::size_t>(index)] = std::make_shared<const core::Layer>(unrolled);
  }
  core::Accelerator accelerator = test::accelerator({8 * 17, 64});
  accelerator.array.dimensions.front().size = 2;
  const core::FusedNetwork network = test::fusable(workload, accelerator);
  const core::FusedOptimum found = core::find_fused_mapping(network, {});
  const core::FusedLayer& first = found.mapping.layers.front();
  REQUIRE(first.operands[0].role == Role::exchanged);
  CHECK(core::fused_violations(found.network, found.mapping).empty());
  double elements = 9;  // of a tile
  for (int loop = 0; loop < first.operands[0].depth; ++loop)
    elements /= static_cast<double>(first.shared[static_cast<std::size_t>(loop)].iterations);
  const core::PhaseRoom room =
      core::phase_rooms(found.network, found.mapping, first.exchange_memory).front();
  const auto sums = std::find_if(room.held.begin(), room.held.end(), [](const core::PhaseRoom::Held& held) {
    return held.layer == 0 && held.operand == 0;
  });
  REQUIRE(sums != room.held.end());
  CHECK(sums->bits == 8 * elements);
}

TEST_CASE("fused check: what is moved to the exchange memory is finished, and there is a way") {
  test::EinsumNetwork chain{"chain",
                            {{'m', 4}, {'a', 4}, {'b', 4}, {'c', 4}},
                            {{"first", {{"x", "ma"}, {"u", "ab"}}, {"y", "mb"}},
                             {"second", {{"y", "mb"}, {"v", "bc"}}, {"z", "mc"}}}};
  core::FusedNetwork network =
      test::fusable(test::workload(chain), test::accelerator({.buffer_bits = 400, .accumulator_bits = 64}));
  const core::FusedOptimum found = core::find_fused_mapping(network, {});
  REQUIRE(found.mapping.layers.front().operands[0].role == Role::exchanged);
  CHECK(core::fused_violations(found.network, found.mapping).empty());

  core::FusedMapping unfinished = found.mapping;
  auto& cuts = unfinished.layers.front().mapping.stationary[0];
  REQUIRE(cuts[0] > 0);
  cuts[0] = 0;
  CHECK(!core::fused_violations(found.network, unfinished).empty());

  core::FusedNetwork without = found.network;
  auto apart = std::make_shared<core::Accelerator>(*without.layers.front().problem.accelerator);
  apart->memories.front().moves_to.clear();
  for (core::NetworkLayer& layer : without.layers) layer.problem.accelerator = apart;
  const std::vector<std::string> wrong = core::fused_violations(without, found.mapping);
  REQUIRE(!wrong.empty());
  CHECK(wrong.front().starts_with("finished data: the exchange memory holds no results of 'first'"));
}

}  // namespace zz
