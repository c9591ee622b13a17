#include "core/search/optimal/optimal_joint_mapping.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/compulsory_bound.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/optimal/one_order_bound.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_generator.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "core/search/temporal/loop_factors.hpp"
#include "tests/unit/search/optimal/brute_force.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Setting {
  Layer layer;
  std::shared_ptr<const Accelerator> accelerator;
  bool mixed = false;
  bool zigzag_compat = false;
  Rules rules() const { return rules_of(zigzag_compat ? "zigzag-3.8.5" : ""); }
  Setting with(const MemoryKeys& keys, std::uint32_t seed) const {
    Setting changed = *this;
    Accelerator with_keys = *accelerator;
    add_keys(with_keys, keys, seed);
    changed.accelerator = std::make_shared<const Accelerator>(std::move(with_keys));
    if (keys.request) changed.layer = with_layouts(layer, seed);
    changed.zigzag_compat = false;
    return changed;
  }
  UnrollingFactors factors = UnrollingFactors::even;
};

MappingProblem problem_of(const Setting& setting, const SpatialUnrolling& unrolling) {
  return unrolled_problem(setting.layer, setting.accelerator, unrolling, {.rules = setting.rules()});
}

/// Small problems of many kinds: with prescribed and hinted unrollings, memories of different sizes and
/// widths, arrays whose sizes divide the loops and arrays whose sizes do not.
Setting random_setting(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::vector<std::int64_t> values) { return values[random() % values.size()]; };
  Setting setting;
  setting.layer = random() % 3
                      ? gemm(pick({2, 3, 4}), pick({2, 4, 5}), pick({2, 3}))
                      : convolution(pick({2, 3}), pick({1, 2}), pick({2, 3}), pick({1, 2}), pick({1, 2}));
  setting.layer.operands[0].precision = pick({8, 16});
  Accelerator accelerator =
      small_accelerator(pick({8, 16, 64}), pick({128, 192, 512, 4096}), pick({8, 16}));
  accelerator.array.dimensions[0].size = pick({1, 2, 3, 4});
  accelerator.array.dimensions[1].size = pick({2, 3});
  for (Memory& memory : accelerator.memories) {
    memory.read_cost = static_cast<double>(pick({1, 2, 3, 7}));
    memory.write_cost = static_cast<double>(pick({1, 2, 5}));
    if (random() % 2) share_port(memory);
  }
  if (random() % 2) {
    // Otherwise the buffer delivers one or two words per cycle, which limits the unrolling.
    for (Memory& memory : accelerator.memories) {
      for (Port& port : memory.ports) port.bandwidth_max = std::max<std::int64_t>(port.bandwidth_max, 64);
    }
  }
  if (random() % 4 == 0) {
    setting.layer.mapping.spatial_hints = {{"D1", {setting.layer.loops[random() % 3].name}}};
  }
  if (random() % 4 == 0) {
    setting.layer.mapping.spatial_mapping.dimensions = {{"D2", {{setting.layer.loops[0].name, 2}}}};
  }
  setting.mixed = random() % 4 == 0;
  setting.zigzag_compat = random() % 5 == 0;
  setting.accelerator = std::make_shared<const Accelerator>(std::move(accelerator));
  if (random() % 2) setting.factors = UnrollingFactors::any;
  return setting;
}

/// The loop is unrolled in full rounds, or as often as may be where it is unrolled most.
bool even(const Setting& setting, const SpatialLimits& limits, const SpatialUnrolling& unrolling,
          const LoopDimension& loop, std::int64_t total) {
  std::int64_t largest = 0;
  std::string array_dimension;
  for (const ArrayUnrolling& entry : unrolling.dimensions) {
    for (const SpatialLoop& unrolled : entry.loops) {
      if (unrolled.dimension != loop.name || unrolled.factor <= largest) continue;
      largest = unrolled.factor;
      array_dimension = entry.array_dimension;
    }
  }
  if (largest == 0 || setting.layer.mapping.spatial_mapping.find(array_dimension) != nullptr) return true;
  const auto& arrays = setting.accelerator->array.dimensions;
  const auto array = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayDimension& dimension) {
    return dimension.name == array_dimension;
  });
  const std::int64_t rounds = (loop.size + total - 1) / total;
  return loop.size % (rounds * (total / largest)) == 0 ||
         largest ==
             limits.maximum(static_cast<int>(array - arrays.begin()), setting.layer.loop_index(loop.name));
}

/// Every unrolling that is legal, equal ones included.
std::vector<SpatialUnrolling> every_unrolling(const Setting& setting) {
  const Layer& layer = setting.layer;
  const Accelerator& accelerator = *setting.accelerator;
  const SpatialLimits limits(layer, accelerator, setting.rules());
  std::vector<SpatialUnrolling> all;
  SpatialUnrolling unrolling = layer.mapping.spatial_mapping;
  const auto hinted = [&](const std::string& array, const std::string& loop) {
    const auto& hints = layer.mapping.spatial_hints;
    return std::none_of(hints.begin(), hints.end(), [&](const UnrollingHint& hint) {
      return hint.array_dimension == array &&
             std::find(hint.dimensions.begin(), hint.dimensions.end(), loop) == hint.dimensions.end();
    });
  };
  const std::function<void(std::size_t)> unroll = [&](std::size_t array) {
    if (array == accelerator.array.dimensions.size()) {
      for (const LoopDimension& loop : layer.loops) {
        std::int64_t total = 1;
        for (const ArrayUnrolling& entry : unrolling.dimensions) {
          for (const SpatialLoop& unrolled : entry.loops)
            if (unrolled.dimension == loop.name) total *= unrolled.factor;
        }
        if (total > loop.size) return;
        if (setting.factors == UnrollingFactors::even && !even(setting, limits, unrolling, loop, total))
          return;
      }
      SpatialUnrolling fitted = unrolling;
      limits.fit_capacity(fitted);
      if (fitted == unrolling) all.push_back(unrolling);
      return;
    }
    const ArrayDimension& dimension = accelerator.array.dimensions[array];
    if (unrolling.find(dimension.name) != nullptr) {
      unroll(array + 1);
      return;
    }
    unrolling.dimensions.push_back({dimension.name, {}});
    const std::function<void(std::size_t, std::int64_t)> along = [&](std::size_t loop, std::int64_t room) {
      if (loop == layer.loops.size()) {
        unroll(array + 1);
        return;
      }
      along(loop + 1, room);
      auto& loops = unrolling.dimensions[unrolling.dimensions.size() - 1].loops;
      if (!setting.mixed && !loops.empty()) return;
      if (!hinted(dimension.name, layer.loops[loop].name)) return;
      const std::int64_t most = limits.maximum(static_cast<int>(array), static_cast<int>(loop));
      for (std::int64_t factor = 2; factor <= std::min(room, most); ++factor) {
        const bool divides = layer.loops[loop].size % factor == 0;
        if (setting.factors == UnrollingFactors::even && !divides && factor != most) continue;
        const std::size_t last = unrolling.dimensions.size() - 1;
        unrolling.dimensions[last].loops.push_back({layer.loops[loop].name, factor});
        along(loop + 1, room / factor);
        unrolling.dimensions[last].loops.pop_back();
      }
    };
    along(0, dimension.size);
    unrolling.dimensions.pop_back();
  };
  unroll(0);
  return all;
}

int primes(const Layer& layer) {
  int count = 0;
  for (const LoopDimension& loop : layer.loops) count += prime_factor_count(loop.size);
  return count;
}

JointOptions options_of(const Setting& setting, Objective objective) {
  JointOptions options;
  options.objective = objective;
  options.mixed = setting.mixed;
  options.factors = setting.factors;
  options.model.rules = setting.rules();
  return options;
}

}  // namespace

namespace {

struct PairTally {
  int feasible = 0, proven = 0;
};

/// Values and bounds of one problem against brute force over all pairs.
void check_against_all_pairs(const Setting& setting, PairTally& tally) {
  std::array<double, 3> least;
  least.fill(infinity);
  SpatialBounds bounds(Objective::edp);
  for (const SpatialUnrolling& unrolling : every_unrolling(setting)) {
    const MappingProblem problem = problem_of(setting, unrolling);
    const BruteForce everything = try_everything(problem);
    for (int i = 0; i < 3; ++i) least[i] = std::min(least[i], everything.least[i]);
    const SpatialBound bound = bounds.of(problem);
    CHECK(bound.energy <= everything.least[0] * (1 + 1e-9));
    CHECK(bound.latency <= everything.least[1] * (1 + 1e-9));
  }
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    CAPTURE(static_cast<int>(objective));
    const double expected = least[static_cast<int>(objective)];
    if (expected == infinity) {
      CHECK_THROWS_AS(
          find_joint_optimum(setting.layer, setting.accelerator, options_of(setting, objective)), NoResult);
      continue;
    }
    const JointOptimum found =
        find_joint_optimum(setting.layer, setting.accelerator, options_of(setting, objective));
    ++tally.feasible;
    if (found.certificate.gap() == 0) ++tally.proven;
    CHECK(found.certificate.value == doctest::Approx(expected).epsilon(1e-9));
    CHECK(found.certificate.lower_bound <= expected * (1 + 1e-9));
    // The mapping that is handed on is the one that was valued.
    const MappingProblem again = problem_of(setting, found.unrolling);
    CHECK(SearchProblem(again).value(found.certificate.mapping, objective) == found.certificate.value);
    CHECK(found.searched + found.passed_over <= found.spatial_mappings);
  }
}

}  // namespace

TEST_CASE("joint optimum: best of all pairs of spatial and temporal mappings") {
  PairTally tally;
  for (std::uint32_t seed = 0; seed < daily(25U, 60U); ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;  // too many mappings to look at each
    check_against_all_pairs(setting, tally);
  }
  CHECK(tally.feasible > daily(15, 40));
  CHECK(tally.proven * 100 > tally.feasible * 95);
}

TEST_CASE("joint optimum: best of all pairs where the array fills and drains, or works in blocks of rows") {
  PairTally tally;
  for (std::uint32_t seed = 0; seed < daily(6U, 40U); ++seed) {
    CAPTURE(seed);
    Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;
    setting.zigzag_compat = false;
    const Accelerator plain = *setting.accelerator;
    for (const ArrayKeys keys : {ArrayKeys::fold, ArrayKeys::instruction, ArrayKeys::both}) {
      CAPTURE(static_cast<int>(keys));
      setting.accelerator = std::make_shared<const Accelerator>(with_array_keys(plain, keys, seed));
      check_against_all_pairs(setting, tally);
    }
  }
  CHECK(tally.feasible > daily(15, 100));
  CHECK(tally.proven * 100 > tally.feasible * 95);
}

TEST_CASE("joint optimum: best of all pairs, with keys of memories, and with those of arrays besides") {
  PairTally tally;
  for (std::uint32_t seed = 0; seed < daily(6U, 40U); ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;
    const MemoryKeys keys[] = {{.overlap = true}, {.tile_interval = true},
                               {.line = true},    {.shared_tiles = true},
                               {.request = true}, {true, true, true, true, true}};
    Setting with_keys = setting.with(keys[seed % 6], seed);
    if (seed % 2)
      with_keys.accelerator = std::make_shared<const Accelerator>(
          with_array_keys(*with_keys.accelerator, ArrayKeys::both, seed));
    check_against_all_pairs(with_keys, tally);
  }
  CHECK(tally.feasible > daily(4, 30));
  CHECK(tally.proven * 100 > tally.feasible * 95);
}

TEST_CASE("joint optimum: best of all pairs, with numbers in blocks, and with keys of memories besides") {
  PairTally tally;
  for (std::uint32_t seed = 0; seed < daily(8U, 120U); ++seed) {
    CAPTURE(seed);
    Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;
    const MemoryKeys keys[] = {{}, {}, {.line = true}, {.request = true}, {true, true, true, true, true}};
    setting = setting.with(keys[seed % 5], seed);
    setting.layer = with_blocks(setting.layer, seed);
    check_against_all_pairs(setting, tally);
  }
  CHECK(tally.feasible > daily(6, 100));
  CHECK(tally.proven * 100 > tally.feasible * 95);
}

TEST_CASE("joint optimum: the least energy of all pairs within a limit of the latency") {
  int between = 0;
  for (std::uint32_t seed = 0; seed < daily(10U, 24U); ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;
    JointOptions options = options_of(setting, Objective::latency);
    double fastest = infinity, cheapest = infinity, expected = infinity;
    for (const SpatialUnrolling& unrolling : every_unrolling(setting)) {
      const BruteForce everything = try_everything(problem_of(setting, unrolling));
      fastest = std::min(fastest, everything.least[1]);
      cheapest = std::min(cheapest, everything.least[0]);
    }
    if (fastest == infinity) continue;
    options.objective = Objective::energy;
    options.allowed.most_latency = std::floor(1.2 * fastest);
    for (const SpatialUnrolling& unrolling : every_unrolling(setting))
      expected =
          std::min(expected, try_everything(problem_of(setting, unrolling), options.allowed).least[0]);
    const JointOptimum found = find_joint_optimum(setting.layer, setting.accelerator, options);
    CHECK(found.certificate.value == doctest::Approx(expected).epsilon(1e-9));
    CHECK(found.certificate.lower_bound <= expected * (1 + 1e-9));
    if (expected > cheapest * (1 + 1e-9)) ++between;
    options.allowed.most_latency = fastest - 1;
    CHECK_THROWS_AS(find_joint_optimum(setting.layer, setting.accelerator, options), NoResult);
  }
  CHECK(between > daily(0, 2));
}

TEST_CASE("joint optimum: of all pairs within a tolerance the one with the least of the other figure") {
  int differ = 0, others = 0;
  for (std::uint32_t seed = 0; seed < daily(6U, 30U); ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;
    const std::vector<SpatialUnrolling> unrollings = every_unrolling(setting);
    for (const Objective objective : {Objective::energy, Objective::latency}) {
      const bool by_energy = objective == Objective::energy;
      CAPTURE(by_energy);
      JointOptions options = options_of(setting, objective);
      JointOptimum alone;
      try {
        alone = find_joint_optimum(setting.layer, setting.accelerator, options);
      } catch (const NoResult&) {
        continue;
      }
      CHECK(alone.second == nullptr);
      for (const double within : {0.0, 0.2}) {
        CAPTURE(within);
        options.within = within;
        const JointOptimum found = find_joint_optimum(setting.layer, setting.accelerator, options);
        REQUIRE(found.second != nullptr);
        const JointOptimum& pair = found.chosen();
        // The proof of the objective stays as it is.
        CHECK(found.certificate.value == alone.certificate.value);
        CHECK(found.certificate.lower_bound == alone.certificate.lower_bound);
        const double most = found.certificate.value * (1 + within) * (1 + 1e-9);
        MappingLimits limits;
        (by_energy ? limits.most_energy : limits.most_latency) = most;
        double expected = infinity;
        for (const SpatialUnrolling& unrolling : unrollings)
          expected = std::min(
              expected, try_everything(problem_of(setting, unrolling), limits).least[by_energy ? 1 : 0]);
        CHECK((by_energy ? pair.energy : pair.latency) <= most);
        CHECK((by_energy ? pair.latency : pair.energy) == pair.certificate.value);
        CHECK(pair.certificate.value == doctest::Approx(expected).epsilon(1e-9));
        CHECK(pair.certificate.lower_bound <= expected * (1 + 1e-9));
        CHECK(pair.certificate.gap() == 0);
        const SearchProblem again(problem_of(setting, pair.unrolling));
        CHECK(again.value(pair.certificate.mapping, Objective::energy) == pair.energy);
        CHECK(again.value(pair.certificate.mapping, Objective::latency) == pair.latency);
        if (pair.certificate.value < (by_energy ? alone.latency : alone.energy) * (1 - 1e-9)) ++differ;
        if (pair.unrolling != alone.unrolling) ++others;
      }
    }
  }
  CHECK(differ > daily(1, 10));
  CHECK(others > daily(1, 5));
}

TEST_CASE("joint optimum: a pair that the second search finds is not better than the least that is told") {
  for (std::uint32_t seed = 0; seed < daily(6U, 60U); ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    JointOptions options = options_of(setting, Objective::latency);
    options.within = 0.5;
    // The first search ends early, the second one goes on.
    for (int most = 1; most < 12; ++most) {
      int polls = 0;
      options.limits.cancelled = [&] { return ++polls > 1 && polls <= most; };
      try {
        const JointOptimum found = find_joint_optimum(setting.layer, setting.accelerator, options);
        CHECK(found.certificate.value <= found.chosen().latency);
        CHECK(found.certificate.lower_bound <= found.certificate.value);
      } catch (const NoResult&) {
        continue;
      }
    }
  }
}

TEST_CASE("joint optimum: for the EDP there is no other figure") {
  const Setting setting = random_setting(0);
  JointOptions options = options_of(setting, Objective::edp);
  options.within = 0.1;
  CHECK(find_joint_optimum(setting.layer, setting.accelerator, options).second == nullptr);
}

TEST_CASE("joint optimum: what no port delivers in one cycle is mapped without unrolling, and bounded") {
  Layer layer = sum_layer(0, 8);
  layer.operands[0].precision = 32;
  const std::vector<std::string> all{"I1", "I2", "O"};
  const auto accelerator = std::make_shared<const Accelerator>(accelerator_with(
      "narrow", {4}, {one_port_memory("buffer", 1024, all, {"D1"}, 16, 16), memory("home", 1 << 20, all)}));
  CHECK_THROWS_AS(generate_spatial_mappings(layer, *accelerator, {}), NoResult);
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    JointOptions options;
    options.objective = objective;
    const JointOptimum optimum = find_joint_optimum(layer, accelerator, options);
    CHECK(optimum.unrolling == SpatialUnrolling{{{"D1", {}}}});
    CHECK(optimum.certificate.gap() == 0);
    const double bound = joint_bound(layer, accelerator, options);
    CHECK(bound > 0);
    CHECK(bound <= optimum.certificate.value * (1 + rounding_tolerance));
  }
  const double least = find_joint_optimum(layer, accelerator, {}).energy;
  CHECK(one_order_bound(layer, accelerator, {}) <= least * (1 + rounding_tolerance));
  // A prescribed unrolling that no port delivers stays without a mapping.
  layer.mapping.spatial_mapping = {{{"D1", {{layer.loops[0].name, 4}}}}};
  CHECK_THROWS_AS(find_joint_optimum(layer, accelerator, {}), NoResult);
  CHECK(joint_bound(layer, accelerator, {}) == infinity);
  CHECK(one_order_bound(layer, accelerator, {}) == infinity);
}

TEST_CASE("joint optimum: the spatial space holds what can be told apart, once") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    SpatialSpace space(setting.layer, *setting.accelerator,
                       {setting.mixed, setting.factors, setting.rules()});
    std::vector<MappingProblem> given;
    double units = infinity;
    while (const auto choice = space.next()) {
      CHECK(space.units(*choice) <= units);
      units = space.units(*choice);
      CHECK(space.most() <= units);
      given.push_back(problem_of(setting, space.unrolling(*choice)));
    }
    CHECK(space.most() == 0);
    if (space.prescribed()) continue;
    for (const SpatialUnrolling& unrolling : every_unrolling(setting)) {
      const MappingProblem problem = problem_of(setting, unrolling);
      const auto total = [&](const SpatialMapping& mapping, std::size_t operand, std::size_t level,
                             const std::string& loop) {
        double product = 1;
        for (const UnrolledLoop& unrolled : mapping.operands[operand].levels[level])
          if (unrolled.dimension == loop) product *= unrolled.factor;
        return product;
      };
      const auto same = [&](const SpatialMapping& a, const SpatialMapping& b) {
        for (std::size_t operand = 0; operand < a.operands.size(); ++operand) {
          for (std::size_t level = 0; level < a.operands[operand].levels.size(); ++level) {
            for (const LoopDimension& loop : setting.layer.loops) {
              if (std::abs(total(a, operand, level, loop.name) - total(b, operand, level, loop.name)) >
                  1e-9)
                return false;
            }
          }
        }
        return true;
      };
      CHECK(std::any_of(given.begin(), given.end(), [&](const MappingProblem& other) {
        return same(*problem.fractional, *other.fractional) && same(*problem.integral, *other.integral);
      }));
    }
  }
}

TEST_CASE("joint optimum: no temporal mapping undercuts the bound of its spatial mapping") {
  for (std::uint32_t seed = 100; seed < 115; ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    SpatialBounds bounds(Objective::edp);
    for (const SpatialUnrolling& unrolling : every_unrolling(setting)) {
      const MappingProblem problem = problem_of(setting, unrolling);
      const SpatialBound bound = bounds.of(problem);
      const BruteForce everything = try_everything(problem);
      if (everything.least[0] == infinity) continue;
      CHECK(bound.energy <= everything.least[0] * (1 + 1e-9));
      CHECK(bound.latency <= everything.least[1] * (1 + 1e-9));
    }
  }
}

TEST_CASE("joint optimum: no mapping undercuts compulsory traffic, nor the rest of the list") {
  int bound_by_traffic = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    if (primes(setting.layer) > 4) continue;
    SpatialSpace space(setting.layer, *setting.accelerator,
                       {setting.mixed, setting.factors, setting.rules()});
    if (space.prescribed()) continue;
    SpatialUnrolling nothing;
    for (const ArrayDimension& dimension : setting.accelerator->array.dimensions)
      nothing.dimensions.push_back({dimension.name, {}});
    const CompulsoryBound bounds(setting.layer, *setting.accelerator, {.rules = setting.rules()},
                                 compulsory_cost(problem_of(setting, nothing)));
    SpatialBound rest = bounds.by_units(space.most());
    while (const auto choice = space.next()) {
      const SpatialBound bound = bounds.of(space, *choice);
      const BruteForce everything = try_everything(problem_of(setting, space.unrolling(*choice)));
      const SpatialBound units = bounds.by_units(space.units(*choice));
      CHECK(units.energy <= bound.energy * (1 + 1e-9));
      CHECK(units.latency <= bound.latency * (1 + 1e-9));
      if (everything.least[0] != infinity) {
        CHECK(bound.energy <= everything.least[0] * (1 + 1e-9));
        CHECK(bound.latency <= everything.least[1] * (1 + 1e-9));
        CHECK(rest.energy <= everything.least[0] * (1 + 1e-9));
        CHECK(rest.latency <= everything.least[1] * (1 + 1e-9));
      }
      if (bound.latency > static_cast<double>(setting.layer.mac_count()) / space.units(*choice))
        ++bound_by_traffic;
      if (space.most() > 0) rest = bounds.by_units(space.most());
    }
  }
  CHECK(bound_by_traffic > 50);
}

TEST_CASE(
    "joint optimum: a gap ends the search early and is kept, and without time the bound still holds") {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const Setting setting = random_setting(seed);
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
      JointOptions options = options_of(setting, objective);
      try {
        const double best =
            find_joint_optimum(setting.layer, setting.accelerator, options).certificate.value;
        options.limits.gap = 0.5;
        const Certificate coarse =
            find_joint_optimum(setting.layer, setting.accelerator, options).certificate;
        CHECK(coarse.gap() <= 0.5 + 1e-9);
        CHECK(coarse.lower_bound <= best * (1 + 1e-9));
        CHECK(coarse.value >= best * (1 - 1e-9));
        options.limits.gap = 0;
        options.limits.seconds = 1e-4;
        const Certificate hurried =
            find_joint_optimum(setting.layer, setting.accelerator, options).certificate;
        CHECK(hurried.lower_bound <= best * (1 + 1e-9));
        CHECK(hurried.value >= best * (1 - 1e-9));
      } catch (const NoResult&) {
        // Nothing fits, or nothing was found in no time.
      }
    }
  }
}
