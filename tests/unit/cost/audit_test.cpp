// Invariants of every evaluation, over random layers, accelerators and loop orders.
#include "core/cost/audit.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <random>
#include <set>

#include "core/base/diagnostics.hpp"
#include "core/cost/cost_model.hpp"
#include "core/cost/detail/mapped_data.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

}  // namespace

TEST_CASE("audit: every evaluation of random problems is sound") {
  RandomProblems problems;
  int audited = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto accelerator = std::make_shared<const Accelerator>(problems.accelerator());
    for_each_mapping(problems.layer(), accelerator,
                     [&](auto layer, auto fractional, auto integral, auto mapping) {
                       const CostModel model(accelerator, layer, fractional, integral, {});
                       for (const std::string& violation : audit(model.evaluate(mapping))) {
                         CAPTURE(trial);
                         CAPTURE(layer->equation);
                         FAIL_CHECK(violation);
                       }
                       ++audited;
                     });
  }
  CHECK(audited > 1000);
}

// A register of 16 bits has room for two results, not for two sums. An unrolling of one above it adds
// nothing up.
TEST_CASE("audit: an output that is unrolled once along its sum is a result at once") {
  const auto accelerator = std::make_shared<const Accelerator>(small_accelerator(16, 1024, 8));
  Layer layer = gemm(2, 4, 1);
  layer.operands[0].precision = 16;
  layer.mapping.spatial_mapping = {{{"D1", {{"N", 2}}}, {"D2", {{"C", 1}}}}};
  const auto mapped = std::make_shared<const Layer>(layer);
  const auto unrolling =
      std::make_shared<const SpatialMapping>(convert_spatial_mapping(*mapped, *accelerator, {}).fractional);
  Loma search(mapped, accelerator, unrolling, {});
  CompactMappings batch;
  search.next(batch, 1);
  REQUIRE(batch.rows.size() == 1);
  const Evaluation evaluation = CostModel(accelerator, mapped, unrolling, unrolling, {})
                                    .evaluate(std::make_shared<const TemporalMapping>(batch.mapping(0)));
  CHECK(audit(evaluation).empty());
  CHECK(evaluation.operands[0].levels[0].utilization == 1);
}

// Fused groups mark the end of a tile by a loop of one iteration, which may be one of a sum.
TEST_CASE("audit: an evaluation with a loop of one iteration is sound") {
  RandomProblems problems;
  std::mt19937 random(7);
  int audited = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto accelerator = std::make_shared<const Accelerator>(problems.accelerator());
    for_each_mapping(
        problems.layer(), accelerator, [&](auto layer, auto fractional, auto integral, auto mapping) {
          const CostModel model(accelerator, layer, fractional, integral, {});
          TemporalMapping longer = *mapping;
          const int position = static_cast<int>(random() % (longer.loops.size() + 1));
          TemporalLoop loop = {layer->loops[random() % layer->loops.size()].name};
          longer.loops.insert(longer.loops.begin() + position, loop);
          for (OperandTemporalMapping& operand : longer.operands)
            for (std::vector<int>* cuts : {&operand.allocated, &operand.stationary})
              for (int& cut : *cuts)
                if (cut > position || &cut == &cuts->back()) ++cut;
          const Evaluation with = model.evaluate(std::make_shared<const TemporalMapping>(longer));
          CAPTURE(trial);
          CAPTURE(layer->equation);
          for (const std::string& violation : audit(with)) FAIL_CHECK(violation);
          ++audited;
        });
  }
  CHECK(audited > 1000);
}

TEST_CASE("audit: wider ports never cost time") {
  RandomProblems problems;
  for (int trial = 0; trial < 40; ++trial) {
    const auto narrow = std::make_shared<const Accelerator>(problems.accelerator());
    Accelerator wider = *narrow;
    for (Memory& memory : wider.memories) {
      for (Port& port : memory.ports) port.bandwidth_max *= 2;
    }
    const auto wide = std::make_shared<const Accelerator>(wider);
    for_each_mapping(
        problems.layer(), narrow, [&](auto layer, auto fractional, auto integral, auto mapping) {
          const Evaluation before = CostModel(narrow, layer, fractional, integral, {}).evaluate(mapping);
          const Evaluation after = CostModel(wide, layer, fractional, integral, {}).evaluate(mapping);
          CHECK(after.latency_total0 <= before.latency_total0);
        });
  }
}

TEST_CASE("audit: a sum is its parts, and what another cost model leaves out is not missed") {
  Evaluation part;
  part.energy_total = 5;
  part.latency_total2 = 7;
  CHECK(audit(part, AuditScope::given).empty());
  const Evaluation* const parts[] = {&part, &part};
  Evaluation sum = add(add({}, part), part);
  CHECK(audit_sum(sum, parts).empty());
  sum.energy_total = 11;
  CHECK(audit_sum(sum, parts).front() == "sums: energy_total is 11, that of the parts 10");

  part.mem_energy = 3;
  CHECK(audit(part, AuditScope::given).front() ==
        "sums: mem_energy and mac_energy add up to 3 pJ, energy_total is 5");
  // A stage's changes of the parts are not the sum's.
  CHECK(audit_sum(add(add({}, part), part), parts).empty());
  part.mac_energy = 2;
  part.latency_total0 = 8;
  CHECK(audit(part, AuditScope::given).empty());
  part.latency_total1 = 8;
  CHECK(audit(part, AuditScope::given).size() == 1);
}

TEST_CASE("audit: an evaluation without mapping is held to the rules of sums") {
  Evaluation evaluation;
  evaluation.layer = std::make_shared<const Layer>(gemm(2, 2, 2));
  evaluation.ideal_cycle = 4;
  evaluation.ideal_temporal_cycle = 2;
  evaluation.latency_total0 = 2;
  evaluation.data_onloading_cycle = -1;
  evaluation.latency_total1 = 1;
  evaluation.latency_total2 = 1;
  CHECK(audit(evaluation).size() == 2);
}

namespace {

/// The names of the rules that an evaluation breaks.
std::set<std::string> broken_rules(const Evaluation& evaluation) {
  std::set<std::string> rules;
  for (const std::string& violation : audit(evaluation))
    rules.insert(violation.substr(0, violation.find(':')));
  return rules;
}

using Rule = std::set<std::string>;

}  // namespace

TEST_CASE("audit: each rule finds what breaks it") {
  const auto accelerator = std::make_shared<const Accelerator>(small_accelerator(32, 1024, 8));
  Layer layer = gemm(6, 8, 4);
  layer.mapping.spatial_mapping = {{{"D1", {{"N", 2}}}, {"D2", {{"C", 2}}}}};
  const auto mapped = std::make_shared<const Layer>(layer);
  const ConvertedSpatialMapping spatial = convert_spatial_mapping(*mapped, *accelerator, {});
  const auto unrolling = std::make_shared<const SpatialMapping>(spatial.fractional);
  Loma search(mapped, accelerator, unrolling, {});
  CompactMappings batch;
  search.next(batch, 1);
  REQUIRE(batch.rows.size() == 1);
  const Evaluation sound = CostModel(accelerator, mapped, unrolling, unrolling, {})
                               .evaluate(std::make_shared<const TemporalMapping>(batch.mapping(0)));
  CHECK(broken_rules(sound).empty());

  Evaluation other = sound;
  other.mac_energy = std::numeric_limits<double>::infinity();
  CHECK(broken_rules(other).contains("finite numbers"));
  other = sound;
  other.operands[1].levels[0].energy += 1;
  CHECK(broken_rules(other) == Rule{"sums"});
  other = sound;
  other.operands[2].levels.back().accesses[static_cast<int>(Direction::write_from_high)] = 1;
  CHECK(broken_rules(other) == Rule{"direction of travel"});
  other = sound;
  other.operands[2].levels.back().accesses[static_cast<int>(Direction::read_to_low)] /= 4;
  CHECK(broken_rules(other) == Rule{"compulsory traffic"});
  other = sound;
  other.operands[2].levels.back().accesses[static_cast<int>(Direction::read_to_low)] *= 100;
  CHECK(broken_rules(other) == Rule{"port bandwidth"});

  TemporalMapping shorter = *sound.temporal_mapping;
  shorter.loops[0].size = 1;
  other = sound;
  other.temporal_mapping = std::make_shared<const TemporalMapping>(shorter);
  CHECK(broken_rules(other).contains("coverage"));
  TemporalMapping all_below = *sound.temporal_mapping;
  for (int& cut : all_below.operands[2].stationary) cut = static_cast<int>(all_below.loops.size());
  other = sound;
  other.temporal_mapping = std::make_shared<const TemporalMapping>(all_below);
  CHECK(broken_rules(other).contains("occupancy"));
}

TEST_CASE("audit: distinct values are those of every pair") {
  for (std::int64_t stride = 1; stride < 6; ++stride) {
    for (std::int64_t dilation = 1; dilation < 6; ++dilation) {
      for (std::int64_t steps = 1; steps < 8; ++steps) {
        std::set<std::int64_t> values;
        for (std::int64_t taps = 1; taps < 8; ++taps) {
          for (std::int64_t step = 0; step < steps; ++step)
            values.insert(stride * step + dilation * (taps - 1));
          CHECK(distinct_values(stride, steps, dilation, taps) == static_cast<double>(values.size()));
        }
      }
    }
  }
}
