#include "core/search/optimal/detail/home_table.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/mapping_problem.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "tests/unit/worlds/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace {

using namespace zz::core;
using zz::test::daily;
using zz::test::RandomProblems;
using zz::test::with_common_buffer;

/// The least energy of accesses to the last memory, of which the two kinds of costs are 3 and 2.
double least_at_home(const Layer& layer, const Accelerator& accelerator,
                     const SpatialUnrolling& unrolling) {
  Accelerator alone = accelerator;
  alone.array.unit_energy = 0;
  for (std::size_t memory = 0; memory + 1 < alone.memories.size(); ++memory)
    alone.memories[memory].read_cost = alone.memories[memory].write_cost = 0;
  const SearchProblem problem(
      unrolled_problem(layer, std::make_shared<const Accelerator>(std::move(alone)), unrolling, {}));
  return find_least_energy(problem, {}).value;
}

struct Compared {
  int unrollings = 0, exact = 0, left_out = 0;
};

Compared compare(int problems) {
  RandomProblems random;
  Compared found;
  for (int i = 0; i < problems; ++i) {
    Layer layer = random.layer();
    if (i % 3 == 0) layer = zz::test::gemm(8 * random.draw(1, 4), 8 * random.draw(1, 4), 8);
    Accelerator given = with_common_buffer(random.accelerator());
    given.memories.back().read_cost = 3;
    given.memories.back().write_cost = 2;
    const auto accelerator = std::make_shared<const Accelerator>(given);
    const std::optional<HomeEnergy> home = HomeEnergy::of(layer, accelerator, {});
    REQUIRE(home);
    SpatialSpace space(layer, *accelerator, {.mixed = i % 2 == 0});
    int listed = 0;
    while (const std::optional<SpatialSpace::Choice> choice = space.next()) {
      if (++listed > 40) break;
      const SpatialUnrolling unrolling = space.unrolling(*choice);
      const std::optional<double> bound = home->of(unrolling);
      if (!bound) {
        ++found.left_out;
        continue;
      }
      const double value = least_at_home(layer, given, unrolling);
      CAPTURE(i);
      CAPTURE(listed);
      CHECK(*bound <= value * (1 + rounding_tolerance));
      ++found.unrollings;
      if (*bound >= value * (1 - rounding_tolerance)) ++found.exact;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("home energy: no mapping has less, whatever it unrolls, and most attain it") {
  const Compared found = compare(40);
  CHECK(found.unrollings > 200);
  CHECK(2 * found.exact > found.unrollings);
  CHECK(found.left_out > 0);
}

TEST_CASE("home energy: no mapping is faster than the port of the home, and a narrow one may decide") {
  RandomProblems random;
  OptimumOptions options{.objective = Objective::latency};
  options.break_ties = false;
  int on_narrow = 0, decided = 0;
  for (int i = 0; i < daily(16, 40); ++i) {
    const Layer layer =
        i % 3 == 0 ? zz::test::gemm(8 * random.draw(1, 4), 8 * random.draw(1, 4), 8) : random.layer();
    Accelerator given = with_common_buffer(random.accelerator());
    HomeTimes times(layer, {});
    // The same table serves all widths of one port.
    for (const std::int64_t width : {4096, 64, 8}) {
      Memory& home = given.memories.back();
      home =
          zz::test::one_port_memory(home.name, home.size, home.operands, home.served_dimensions, 8, width);
      const auto accelerator = std::make_shared<const Accelerator>(given);
      const HomeTimes::Time time = times.on(given);
      SpatialSpace space(layer, *accelerator, {});
      for (int listed = 0; listed < 8; ++listed) {
        const std::optional<SpatialSpace::Choice> choice = space.next();
        if (!choice) break;
        const SpatialUnrolling unrolling = space.unrolling(*choice);
        const std::optional<double> bound = time.of(unrolling);
        if (!bound || !(*bound < infinite)) continue;
        CAPTURE(i);
        CAPTURE(width);
        const Certificate best =
            find_optimal_mapping(unrolled_problem(layer, accelerator, unrolling, {}), options);
        CHECK(*bound <= best.value * (1 + rounding_tolerance));
        if (width > 8) continue;
        ++on_narrow;
        if (*bound >= 0.9 * best.value) ++decided;
      }
    }
  }
  CHECK(on_narrow > daily(40, 100));
  CHECK(4 * decided > on_narrow);
}

TEST_CASE("home energy: nothing is known where memories next to the home serve a part of the array") {
  Accelerator parted = with_common_buffer(zz::test::small_accelerator(16, 512, 8));
  const Layer layer = zz::test::gemm(4, 4, 4);
  CHECK(HomeEnergy::of(layer, std::make_shared<const Accelerator>(parted), {}));
  parted.memories[2].served_dimensions = {"D1"};
  CHECK_FALSE(HomeEnergy::of(layer, std::make_shared<const Accelerator>(parted), {}));
}
