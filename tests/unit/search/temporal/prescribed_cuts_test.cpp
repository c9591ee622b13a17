#include "core/search/temporal/prescribed_cuts.hpp"

#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/loma/loma.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "core/search/salsa/salsa.hpp"
#include "core/search/spatial/spatial_conversion.hpp"
#include "core/search/temporal/user_ordering.hpp"
#include "tests/unit/worlds/accelerators.hpp"
#include "tests/unit/worlds/layers.hpp"
#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

/// Registers of 64 bits for W and O, a buffer of 4096 for all, and a memory.
struct World {
  World() {
    layer.name = "product";
    layer.mapping.name = "entry";
    layer.mapping.spatial_mapping = {{{"D1", {{"M", 2}}}}};
    layer.mapping.temporal_ordering = {{"C", 3}, {"M", 6}, {"N", 4}};
    unroll();
    for (std::size_t operand = 0; operand < layer.operands.size(); ++operand)
      for (const int memory : memories(operand))
        names[layer.operands[operand].name].push_back(name(memory));
  }
  const std::vector<int>& memories(std::size_t operand) const {
    const MemoryHierarchy& hierarchy = accelerator.hierarchy();
    return hierarchy.levels[hierarchy.operand_index(layer.memory_operand(static_cast<int>(operand)))];
  }
  const std::string& name(int memory) const { return accelerator.memories[memory].name; }
  void unroll() {
    ConvertedSpatialMapping converted = convert_spatial_mapping(layer, accelerator, {});
    fractional = std::make_shared<const SpatialMapping>(converted.fractional);
    integral = std::make_shared<const SpatialMapping>(converted.integral);
  }
  /// By operand from the lowest memory up.
  void cut(const std::map<std::string, std::vector<std::int64_t>>& at) {
    layer.mapping.cuts.clear();
    for (const auto& [operand, loops] : at) {
      OperandCuts cuts{operand, {}};
      for (std::size_t level = 0; level < loops.size(); ++level)
        cuts.memories.push_back({names[operand].at(level), loops[level]});
      layer.mapping.cuts.push_back(cuts);
    }
  }
  MappingProblem problem() const {
    MappingProblem made;
    made.accelerator = std::make_shared<const Accelerator>(accelerator);
    made.layer = std::make_shared<const Layer>(layer);
    made.fractional = fractional;
    made.integral = integral;
    return made;
  }
  TemporalMapping converted() const {
    return convert_temporal_ordering(layer, accelerator, *fractional, MappingType::uneven, {}).mapping;
  }
  std::string wrong() const {
    try {
      converted();
    } catch (const NoResult& none) {
      return none.what();
    } catch (const InputError& error) {
      const Diagnostic& first = error.diagnostics().front();
      return first.message + "; " + first.hint;
    }
    return "nothing";
  }

  Layer layer = gemm(12, 4, 3);
  Accelerator accelerator = small_accelerator(64, 4096, 8);
  std::shared_ptr<const SpatialMapping> fractional, integral;
  std::map<std::string, std::vector<std::string>> names;
};

std::vector<int> cuts_of(const TemporalMapping& mapping, const std::string& operand) {
  for (const OperandTemporalMapping& one : mapping.operands)
    if (one.operand == operand) return one.stationary;
  return {};
}

/// Cuts at which all stages arrive that take the order.
void check_all_stages(const World& world, const std::vector<int>& output) {
  CHECK(cuts_of(world.converted(), "O") == output);
  const MappingProblem problem = world.problem();
  Loma loma(problem.layer, problem.accelerator, problem.fractional, {});
  CompactMappings batch;
  loma.next(batch, 8);
  REQUIRE(batch.rows.size() == 1);
  CHECK(cuts_of(batch.mapping(std::size_t{0}), "O") == output);
  const Salsa salsa(problem.layer, problem.accelerator, problem.fractional, {});
  CompactMappings annealed;
  salsa.describe(annealed);
  const Salsa::Outcome outcome = salsa.anneal(
      1, 0,
      [](const CompactMapping&) {
        return SalsaCost{1, 1};
      },
      [] { return false; });
  REQUIRE(outcome.feasible);
  CHECK(cuts_of(annealed.mapping(outcome.mapping), "O") == output);
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    const Certificate found = find_optimal_mapping(problem, {.objective = objective});
    CHECK(cuts_of(readable(found.mapping, *problem.layer, *problem.fractional), "O") == output);
    CHECK(found.gap() == 0);
    CHECK(found.states == 1);
  }
}

}  // namespace

TEST_CASE("prescribed cuts: every stage that takes the order takes them") {
  World world;
  const std::vector<int> greedy = cuts_of(world.converted(), "O");
  const auto levels = greedy.size();
  REQUIRE(levels >= 2);
  for (int lowest = 0; lowest < greedy.front(); ++lowest) {
    std::map<std::string, std::vector<std::int64_t>> at;
    for (const auto& [operand, names] : world.names) at[operand].assign(names.size(), 0);
    for (auto& [operand, loops] : at) loops.back() = 3;
    at["O"].front() = lowest;
    for (std::size_t level = 1; level + 1 < levels; ++level) at["O"][level] = lowest;
    world.cut(at);
    std::vector<int> output(at["O"].begin(), at["O"].end());
    check_all_stages(world, output);
  }
}

TEST_CASE("prescribed cuts: the allocator's own are its allocation, too") {
  World world;
  const TemporalMapping greedy = world.converted();
  std::map<std::string, std::vector<std::int64_t>> at;
  for (const OperandTemporalMapping& operand : greedy.operands)
    at[operand.operand].assign(operand.stationary.begin(), operand.stationary.end());
  world.cut(at);
  CHECK(world.converted() == greedy);
  // Of the topmost memory nothing need be said, and entries of one iteration are no loops.
  for (auto& [operand, loops] : at) loops.pop_back();
  for (auto& [operand, loops] : at)
    for (std::int64_t& cut : loops) ++cut;
  world.layer.mapping.temporal_ordering.insert(world.layer.mapping.temporal_ordering.begin(), {"N", 1});
  world.cut(at);
  CHECK(world.converted() == greedy);
}

TEST_CASE("prescribed cuts: tiles that do not divide their loop keep theirs") {
  World world;
  world.layer.mapping.temporal_ordering = {{"M", 4}, {"C", 3}, {"N", 4}, {"M", 2}};  // of six rounds
  std::map<std::string, std::vector<std::int64_t>> at;
  for (const auto& [operand, names] : world.names) {
    at[operand].assign(names.size(), 0);
    at[operand].back() = 4;
  }
  world.cut(at);
  std::vector<int> output(world.names["O"].size(), 0);
  output.back() = 4;
  check_all_stages(world, output);
  // Without them no search proves the best ones.
  world.layer.mapping.cuts.clear();
  CHECK_THROWS_AS(find_optimal_mapping(world.problem(), {}), NoResult);
}

TEST_CASE("prescribed cuts: what does not fit is told with the nearest that does") {
  World world;
  const auto all_at = [&](std::int64_t cut) {
    std::map<std::string, std::vector<std::int64_t>> at;
    for (const auto& [operand, names] : world.names) {
      at[operand].assign(names.size(), cut);
      at[operand].back() = 3;
    }
    return at;
  };
  auto at = all_at(0);
  at["W"].back() = 2;
  world.cut(at);
  CHECK(world.wrong().find(
            "holds W below 2 loops, but the topmost memory holds all 3; the nearest that works "
            "is 3") != std::string::npos);
  at["W"].back() = 5;
  world.cut(at);
  CHECK(world.wrong().find(
            "holds W below 5 loops, more than the 3 loops of the order; the nearest that works "
            "is 3") != std::string::npos);
  at = all_at(0);
  at["O"].front() = 2;
  REQUIRE(at["O"].size() == 3);
  world.cut(at);
  CHECK(world.wrong().find("fewer than the 2 of '" + world.names["O"][0] +
                           "' below it; the nearest that works "
                           "is 2") != std::string::npos);
  world.cut(all_at(0));
  world.layer.mapping.cuts[0].memories[0].memory += "x";
  CHECK(world.wrong().find("did you mean '" + world.names[world.layer.mapping.cuts[0].operand][0] + "'?") !=
        std::string::npos);
  world.cut(all_at(0));
  world.layer.mapping.cuts.erase(world.layer.mapping.cuts.begin());
  CHECK(world.wrong().find("say nothing of I") != std::string::npos);
  // Registers of 64 bits hold a few sums of 24 (M 6).
  world.cut(all_at(3));
  const std::string wrong = world.wrong();
  CHECK(wrong.find("of 64 bits would have to hold") != std::string::npos);
  CHECK(wrong.find("the nearest that works there is") != std::string::npos);
}

TEST_CASE("prescribed cuts: an order that leaves loops open has none") {
  World world;
  std::map<std::string, std::vector<std::int64_t>> at;
  for (const auto& [operand, names] : world.names) at[operand].assign(names.size(), 0);
  world.cut(at);
  world.layer.mapping.temporal_ordering = {{"C", 3}, {"*", std::nullopt}};
  const MappingProblem problem = world.problem();
  CHECK_THROWS_AS(Loma(problem.layer, problem.accelerator, problem.fractional, {}), InputError);
  world.layer.mapping.temporal_ordering = {{"C", 3}};
  const MappingProblem open = world.problem();
  CHECK_THROWS_AS(Loma(open.layer, open.accelerator, open.fractional, {}), NoResult);
}
