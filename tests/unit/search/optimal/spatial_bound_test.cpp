#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cost/data_footprint.hpp"
#include "core/search/optimal/cost_relations.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/spatial_bounds.hpp"
#include "core/search/optimal/detail/traffic.hpp"
#include "core/search/spatial/spatial_space.hpp"
#include "tests/unit/cost/boundary_costs.hpp"
#include "tests/unit/search/optimal/brute_force.hpp"
#include "tests/unit/search/optimal/random_problems.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

struct Tightness {
  int problems = 0, exact_energy = 0, exact_latency = 0;
  double least_latency = 1;  ///< least share of the latency that a bound reaches
};

/// The bounds are no higher than the best of all mappings.
void check_bounds(const MappingProblem& problem, Tightness& tightness) {
  SpatialBounds bounds(Objective::edp);
  const SpatialBound bound = bounds.of(problem);
  const BruteForce all = try_everything(problem);
  constexpr double tolerance = 1e-9;
  CHECK(bounds.quick(problem).energy <= bound.energy * (1 + tolerance));
  CHECK(bound.energy <= all.least[0] * (1 + tolerance));
  CHECK(bound.latency <= all.least[1] * (1 + tolerance));
  ++tightness.problems;
  if (bound.energy >= all.least[0] * (1 - tolerance)) ++tightness.exact_energy;
  if (bound.latency >= all.least[1] * (1 - tolerance)) ++tightness.exact_latency;
  tightness.least_latency = std::min(tightness.least_latency, bound.latency / all.least[1]);
}

MappingProblem unrolled(const Layer& layer, const Accelerator& accelerator, const std::string& along_first,
                        const std::string& along_second) {
  SpatialUnrolling unrolling;
  unrolling.dimensions = {{"D1", {{along_first, 2}}}, {"D2", {{along_second, 2}}}};
  return unrolled_problem(layer, std::make_shared<const Accelerator>(accelerator), unrolling, {});
}

/// One port for all of a memory's transfers, and a layer whose tensors differ in size.
Accelerator with_shared_ports(std::int64_t word) {
  Accelerator accelerator = small_accelerator(16, 512, word);
  for (Memory& memory : accelerator.memories) share_port(memory);
  return accelerator;
}

}  // namespace

TEST_CASE("spatial bound: no mapping of many small problems dominates it, and some attain it") {
  Tightness tightness;
  for (std::uint32_t seed = 0; seed < daily(2U, 12U); ++seed) {
    CAPTURE(seed);
    check_bounds(random_problem(seed), tightness);
    check_bounds(problem_with_uneven_rounds(seed), tightness);
  }
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    CAPTURE(seed);
    check_bounds(without_memories_of_inputs(seed), tightness);
    check_bounds(in_memory_problem(seed), tightness);
  }
  CHECK(2 * tightness.exact_energy > tightness.problems);
  CHECK(3 * tightness.exact_latency > tightness.problems);
}

TEST_CASE("spatial bound: what busy ports need counts, and unrollings share what their operands cost") {
  Tightness tightness;
  for (const std::int64_t word : {8, 16}) {
    CAPTURE(word);
    const Accelerator accelerator = with_shared_ports(word);
    const Layer layer = gemm(4, 4, 4);
    SpatialBounds shared(Objective::edp);
    using Loops = std::pair<std::string, std::string>;
    for (const Loops& loops :
         {Loops("M", "N"), Loops("N", "M"), Loops("M", "C"), Loops("C", "N"), Loops("N", "C")}) {
      CAPTURE(loops.first);
      CAPTURE(loops.second);
      const MappingProblem problem = unrolled(layer, accelerator, loops.first, loops.second);
      check_bounds(problem, tightness);
      SpatialBounds alone(Objective::edp);
      CHECK(shared.of(problem).energy == alone.of(problem).energy);
      CHECK(shared.of(problem).latency == alone.of(problem).latency);
    }
  }
  CHECK(tightness.least_latency > 0.5);
}

TEST_CASE("spatial bound: unrollings with the same numbers have the same one") {
  Accelerator machine = small_accelerator(64, 2048, 16);
  machine.array.dimensions[0].size = 6;
  machine.array.dimensions[1].size = 4;
  for (Memory& memory : machine.memories)
    if (!memory.served_dimensions.empty()) memory.served_dimensions = {"D1", "D2"};
  const auto accelerator = std::make_shared<const Accelerator>(machine);
  const Layer layer = gemm(7, 6, 10);
  SpatialSpace space(layer, *accelerator, {.mixed = true, .factors = UnrollingFactors::uneven});
  SpatialBounds bounds(Objective::edp);
  std::map<UnrolledNumbers, SpatialBound> first;
  std::size_t unrollings = 0;
  for (auto choice = space.next(); choice; choice = space.next(), ++unrollings) {
    const SpatialBound bound =
        bounds.of(unrolled_problem(layer, accelerator, space.unrolling(*choice), {}));
    const SpatialBound& known = first.emplace(space.numbers(*choice), bound).first->second;
    CHECK(bound.energy == doctest::Approx(known.energy).epsilon(rounding_tolerance));
    CHECK(bound.latency == doctest::Approx(known.latency).epsilon(rounding_tolerance));
  }
  CHECK(3 * first.size() < 2 * unrollings);
}

TEST_CASE("boundary energy: the cost model's own, whichever loops are below") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const MappingProblem given = seed % 4 == 3 ? in_memory_problem(seed) : random_problem(seed);
    const SearchProblem problem(given);
    const CostTables& tables = problem.tables;
    const LabelCosts costs = energy_costs(problem);
    const ExponentLattice& lattice = problem.space.lattice();
    for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset) {
      const CompactMapping mapping = one_cut_mapping(tables, lattice, multiset);
      const BoundaryCosts modelled(tables, given.options, mapping);
      for (int operand = 0; operand < tables.operand_count; ++operand) {
        for (int boundary = 0; boundary < tables.operands[operand].levels; ++boundary) {
          // Boundaries to units are asked about where they may close.
          if (boundary == 0 && operand > 0 && !problem.space.all_irrelevant(operand, multiset)) continue;
          const PerDirection<double>& energy = modelled.at(operand, boundary).energy;
          double sum = energy[read_to_low] + energy[write_from_low];
          if (boundary > 0) {
            sum += energy[read_to_high] + energy[write_from_high];
          } else if (tables.imc && tables.imc->weight_operand == operand) {
            const auto repeats = static_cast<double>(repeats_at_units(tables, mapping, operand));
            sum += tables.imc->with_repeats(repeats).total();
          }
          CHECK(*costs.at(operand, boundary, multiset) == doctest::Approx(sum).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("loop symmetry: rows and columns of square images are exchanged, and nothing else is") {
  CHECK(loop_symmetries(convolution(4, 2, 4, 3, 1)).size() == 2);
  CHECK(loop_symmetries(gemm(4, 4, 4)).size() == 1);
  Layer stretched = convolution(4, 2, 4, 3, 1);
  stretched.relations[0].stride = 2;
  CHECK(loop_symmetries(stretched).size() == 1);
  Layer wide = convolution(4, 2, 4, 3, 1);
  wide.loops[static_cast<std::size_t>(wide.loop_index("OX"))].size = 8;
  CHECK(loop_symmetries(wide).size() == 1);
  Layer ordered = convolution(4, 2, 4, 3, 1);
  ordered.mapping.temporal_ordering = {{"OX", std::nullopt, false}};
  CHECK(loop_symmetries(ordered).size() == 1);
}

TEST_CASE("loop symmetry: mirror images cost the same") {
  const Layer layer = convolution(2, 1, 4, 2, 1);
  const Accelerator accelerator = with_shared_ports(8);
  const BruteForce rows = try_everything(unrolled(layer, accelerator, "OY", "FX"));
  const BruteForce columns = try_everything(unrolled(layer, accelerator, "OX", "FY"));
  CHECK(rows.least == columns.least);
  CHECK(rows.second == columns.second);
}
