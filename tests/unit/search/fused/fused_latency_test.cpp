#include "core/search/fused/fused_latency.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>

#include "core/search/fused/fused_search.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/search/fused/brute_force.hpp"
#include "tests/unit/search/fused/einsums.hpp"

namespace zz {
namespace {

using Role = core::FusedOperand::Role;

/// All iterations of the shared loops, each as a layer of its own with the same nest below. `last`: one has
/// a smaller tile.
double latency_of_tiles(const core::FusedNetwork& network, int index, const core::FusedLayer& member,
                        bool& last) {
  core::Layer tile = *network.layers[static_cast<std::size_t>(index)].layer;
  core::CompactMapping nest = member.mapping;
  double phases = 1, of_last = 0;
  core::LoopDimension* shorter = nullptr;
  std::int64_t rest = 0;
  for (const core::SharedLoop& loop : member.shared) phases *= static_cast<double>(loop.iterations);
  for (double left = phases; left > 1;) left /= static_cast<double>(nest.size[--nest.loops]);
  for (const core::SharedLoop& loop : member.shared) {
    const core::LayerAxis& axis = *network.axis_of(index, loop.axis);
    core::LoopDimension& own = tile.loops[static_cast<std::size_t>(axis.dimension)];
    if (axis.length == axis.size) {
      own.size /= loop.iterations;
      continue;
    }
    std::int64_t whole = 1;
    for (int below = 0; below < nest.loops; ++below)
      if (nest.dimension[below] == axis.dimension) whole *= nest.size[below];
    rest = own.size - (loop.iterations - 1) * whole;
    own.size = whole;
    of_last = phases / static_cast<double>(loop.iterations);
    shorter = &own;
  }
  last = shorter != nullptr && rest < shorter->size;
  if (nest.loops == 0) nest.size[nest.loops++] = 1;
  for (auto& cuts : nest.stationary)
    for (auto& cut : cuts) cut = std::min(cut, static_cast<std::uint8_t>(nest.loops));
  nest.allocated = nest.stationary;
  const core::NetworkLayer& own = network.layers[static_cast<std::size_t>(index)];
  const auto latency = [&] {
    return core::model_of(core::unrolled_problem(tile, member.problem.accelerator, own.unrolling(),
                                                 member.problem.options))
        .latency(nest)
        .total();
  };
  double sum = (phases - of_last) * latency();
  if (shorter != nullptr) shorter->size = rest;
  if (shorter != nullptr) sum += of_last * latency();
  return sum;
}

}  // namespace

TEST_CASE("fused: what is promised of a layer is the latency of its phases, each by itself") {
  int compared = 0, longer = 0, shorter = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    test::RandomGroup group = test::random_group(seed, seed % 2 == 1);
    const bool ragged = seed > 60;
    if (ragged) group.network.sizes['m'] = seed % 3 == 0 ? 7 : 5;
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit));
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {.enlarge = ragged ? 0.2 : 0});
    for (int index = 0; index < static_cast<int>(found.mapping.layers.size()); ++index) {
      const core::FusedLayer& member = found.mapping.layers[static_cast<std::size_t>(index)];
      const core::FusedLatency latency = core::fused_latency(found.network, index, member);
      const core::Layer& layer = *found.network.layers[static_cast<std::size_t>(index)].layer;
      CHECK(latency.hidden <= latency.evaluated * (1 + 1e-12));
      if (member.shared.empty()) {
        CHECK(latency.promised == latency.evaluated);
        continue;
      }
      const bool kept = std::any_of(member.operands.begin(), member.operands.end(),
                                    [](const core::FusedOperand& of) { return of.role == Role::kept; });
      const bool adds = std::any_of(member.shared.begin(), member.shared.end(), [&](const auto& loop) {
        return layer.relevancy(0, found.network.axis_of(index, loop.axis)->dimension) ==
               core::Relevancy::irrelevant;
      });
      if (kept || adds) continue;
      bool last = false;
      const double tiles = latency_of_tiles(found.network, index, member, last);
      CHECK(latency.promised == doctest::Approx(std::max(latency.evaluated, tiles)).epsilon(1e-12));
      shorter += last ? 1 : 0;
      longer += latency.promised > latency.evaluated ? 1 : 0;
      ++compared;
    }
  }
  CHECK(compared > 20);
  CHECK(longer > 0);
  CHECK(shorter > 5);
}

TEST_CASE("fused: a search for the latency promises no more than layers by themselves take") {
  int sharing = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    CAPTURE(seed);
    const test::RandomGroup group = test::random_group(seed, seed % 2 == 1);
    constexpr core::Objective latency = core::Objective::latency;
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit), latency);
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {.objective = latency});
    CHECK(found.lower_bound <= found.latency.evaluated * (1 + 1e-12));
    CHECK(found.latency.evaluated <= found.latency.promised);
    CHECK(found.latency.promised <= found.unfused * (1 + 1e-12));
    for (const core::FusedLayer& layer : found.mapping.layers) sharing += layer.shared.empty() ? 0 : 1;
  }
  CHECK(sharing > 0);
}

TEST_CASE(
    "fused: nothing of a tensor that is exchanged passes memories above its exchange memory, in no time") {
  int exchanged = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const test::RandomGroup group = test::random_group(seed, seed % 2 == 1);
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit));
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum found = core::find_fused_mapping(network, {});
    for (const core::FusedLayer& member : found.mapping.layers) {
      exchanged += member.problem.accelerator->memory_index("exchange") >= 0 ? 1 : 0;
      const core::Evaluation evaluation =
          core::model_of(member.problem)
              .evaluate(std::make_shared<const core::TemporalMapping>(
                  core::readable(member.mapping, *member.problem.layer, *member.problem.fractional)));
      for (const core::LatencyPart& part : evaluation.latency_parts) CHECK(part.memory != "exchange");
    }
  }
  CHECK(exchanged > 3);
}

TEST_CASE("fused: what is faster by next to nothing is not taken for more energy") {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const test::RandomGroup group = test::random_group(seed, seed % 2 == 1);
    constexpr core::Objective latency = core::Objective::latency;
    core::FusedNetwork network;
    try {
      network = test::fusable(test::workload(group.network), test::accelerator(group.unit), latency);
    } catch (const core::NoResult&) {
      continue;  // some layer does not fit by itself
    }
    const core::FusedOptimum fastest = core::find_fused_mapping(network, {.objective = latency});
    constexpr double within = 0.5;
    const core::FusedOptimum found =
        core::find_fused_mapping(network, {.objective = latency, .within = within});
    CHECK(found.unfused_latency == doctest::Approx(found.unfused).epsilon(1e-9));
    CHECK(found.latency.promised <= found.unfused * (1 + 1e-12));
    CHECK((found.latency.promised * (1 + within) < found.unfused || found.energy <= found.unfused_energy));
    if (fastest.energy > found.energy) ++kept;
  }
  CHECK(kept > 0);
}

}  // namespace zz
