// Changes of a machine, each with its layers mapped anew.
#include "core/answers/changes.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/joint_question.hpp"
#include "core/search/optimal/optimal_temporal_mapping.hpp"
#include "tests/unit/worlds/hand_example.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

struct Answered {
  Answers answers;
  Optima optima{answers, false};
  Changes changes;
  std::vector<Saving> savings;

  explicit Answered(const std::vector<const Evaluation*>& layers, const ChangeOptions& options = {}) {
    changes = changes_of(layers, optima, options);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < layers.size(); ++i) all.push_back(i);
    savings = savings_of(changes, all, options);
  }
};

/// The latency of the best pair on a machine that is changed by hand, by a search of its own.
double fastest(const Evaluation& evaluation, const Accelerator& machine) {
  JointQuestion question = question_of(evaluation);
  return find_joint_optimum(question.layer, std::make_shared<const Accelerator>(machine), question.options)
      .certificate.value;
}

/// Everything is wide but the array.
Accelerator wide_machine() {
  return accelerator_with("wide", {4},
                          {one_port_memory("buffer", 1 << 14, {"I1", "I2", "O"}, {"D1"}, 8, 4096),
                           one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 8, 4096)});
}

}  // namespace

TEST_CASE("changes: each saves what a machine built so saves, with a mapping of its own") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const double now = fastest(evaluation, *evaluation.accelerator);
  ChangeOptions options;
  options.least = 0;
  const Answered answered({&evaluation}, options);
  CHECK(answered.changes.now.front().value == now);
  std::size_t compared = 0;
  for (const Change& change : answered.changes.changes) {
    if (change.parts.size() > 1) continue;
    const MachinePart& part = change.parts.front();
    CAPTURE(name_of(part));
    Accelerator machine = *evaluation.accelerator;
    for (Memory& memory : machine.memories) {
      if (memory.name != part.name) continue;
      if (part.kind == MachinePart::Kind::memory) memory.size *= 2;
      for (Port& port : memory.ports)
        if (port.name == part.port) port.bandwidth_max *= 2;
    }
    for (ArrayDimension& dimension : machine.array.dimensions)
      if (dimension.name == part.name) dimension.size *= 2;
    CHECK(change.by_layer.front().value == doctest::Approx(std::min(now, fastest(evaluation, machine))));
    ++compared;
  }
  // Three ports, two memories, an array dimension.
  CHECK(compared == 6);
  REQUIRE(!answered.savings.empty());
  CHECK(words_of(answered.savings.front().parts, 2) == answered.savings.front().change);
  for (std::size_t i = 1; i < answered.savings.size(); ++i)
    CHECK(answered.savings[i - 1].saved >= answered.savings[i].saved);
}

TEST_CASE("changes: sums that units read and write through one port are written through another") {
  // B is small, so that the sums of a column come and go in each step.
  const auto machine = [](bool own_port) {
    Memory sums = one_port_memory("sums", 1 << 10, {"O"}, {"D1"}, 64, 64);
    if (own_port) {
      sums.ports.push_back(sums.ports.front());
      sums.ports.back().name = "own";
      sums.ports.back().allocation = {{"O", Direction::write_from_low}};
      std::erase(sums.ports.front().allocation, sums.ports.back().allocation.front());
    }
    return accelerator_with("sums", {4},
                            {sums, one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 8, 4096)});
  };
  const Evaluation evaluation = evaluated(machine(false), product_by_hand(), order_by_hand);
  const Answered answered({&evaluation});
  const auto found = std::find_if(
      answered.savings.begin(), answered.savings.end(),
      [](const Saving& saving) { return saving.change == "sums: a port of its own for written sums"; });
  REQUIRE(found != answered.savings.end());
  CHECK(found->value == doctest::Approx(fastest(evaluation, machine(true))));
}

TEST_CASE("changes: equal layers are asked once, as often as they are counted") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const Evaluation thrice = scale(evaluation, 3);
  const Answered one({&evaluation}), both({&evaluation, &thrice});
  REQUIRE(one.savings.size() == both.savings.size());
  for (std::size_t i = 0; i < one.savings.size(); ++i)
    CHECK(both.savings[i].saved == doctest::Approx(4 * one.savings[i].saved));
}

TEST_CASE("changes: a sum is asked by the layer that is typical of it") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  Evaluation sum = add(evaluation, scale(evaluation, 4));
  CHECK_FALSE(Answered({&sum}).changes.not_known.front().empty());
  sum.typical = std::make_shared<const Evaluation>(evaluation);
  const Answered one({&evaluation}), five({&sum});
  CHECK(five.changes.not_known.front().empty());
  CHECK(five.changes.now.front().value == doctest::Approx(5 * one.changes.now.front().value));
  CHECK(add(sum, sum).typical == nullptr);
}

TEST_CASE("changes: a layer that nobody can map again stays as it is") {
  Evaluation changed_later = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  changed_later.latency_total2 += 100;
  const Answered answered({&changed_later});
  CHECK(answered.changes.not_known.front() == "a stage changed its figures after the cost model");
  CHECK(answered.changes.now.front().value == changed_later.latency_total2);
  CHECK(answered.savings.empty());
}

TEST_CASE("changes: what the mapping file prescribes grows with an array dimension that it fills") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  Layer layer = product_by_hand();
  layer.mapping.spatial_mapping.dimensions = {{"D1", {{"K", 4}}}};
  const std::vector<MachinePart> longer = {{MachinePart::Kind::array, "D1", ""}};
  const MachineChange machine = changed(*evaluation.accelerator, layer, longer, 2);
  CHECK(machine.layer.mapping.spatial_mapping.dimensions[0].loops[0].factor == 8);
  CHECK(machine.accelerator->array.dimensions[0].size == 8);
  layer.mapping.spatial_mapping.dimensions = {{"D1", {{"K", 1}}}};
  CHECK(changed(*evaluation.accelerator, layer, longer, 2)
            .layer.mapping.spatial_mapping.dimensions[0]
            .loops[0]
            .factor == 1);
}

TEST_CASE("changes: what a limit left open is not said to save nothing") {
  Changes changes;
  changes.now = {{100, 100}};
  changes.not_known = {""};
  const auto change = [](const char* port, double value, double bound) {
    return Change{{{MachinePart::Kind::port, "dram", port}}, {{value, bound}}};
  };
  changes.changes = {change("helps", 60, 50), change("proven", 100, 99.5), change("open", 100, 70)};
  const std::vector<std::size_t> all = {0};
  const std::vector<Saving> savings = savings_of(changes, all, {});
  REQUIRE(savings.size() == 1);
  CHECK(savings.front().change == "dram helps 2 x as wide");
  CHECK(open_changes(changes, all, {}) == 1);
}

TEST_CASE("changes: the port of a register of one word is no part that could help") {
  const Accelerator machine =
      accelerator_with("registers", {4},
                       {one_port_memory("register", 8, {"I2"}, {}, 8, 8),
                        one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 8, 64)});
  std::vector<std::string> names;
  for (const MachinePart& part : parts_of(machine, product_by_hand(), Objective::latency))
    names.push_back(name_of(part));
  // The second port of the dram is one of its own for the sums that it has for the units.
  CHECK(names == std::vector<std::string>{"register", "dram rw_port_1", "dram rw_port_1", "dram", "D1"});
}

TEST_CASE("changes: a longer array is mapped by the longer prescription") {
  // 16 columns on 4 units: the prescription is all that there is to search.
  Layer product = product_by_hand();
  product.loops = {{"B", 4}, {"K", 16}, {"C", 8}};
  product.mapping.spatial_mapping.dimensions = {{"D1", {{"K", 4}}}};
  Evaluation evaluation = evaluated(wide_machine(), product, {{"B", 4}, {"K", 4}, {"C", 8}});
  JointQuestion question = question_of(evaluation);
  question.layer = product;
  evaluation.question = std::make_shared<const JointQuestion>(question);
  const Answered answered({&evaluation});
  REQUIRE(!answered.savings.empty());
  CHECK(answered.savings.front().change == "D1 2 x as long");
  CHECK(answered.savings.front().saved > 0.3 * answered.changes.now.front().value);
}

TEST_CASE("changes: the energy falls with larger memories, kept operands and fewer bits") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  ChangeOptions options;
  options.objective = Objective::energy;
  const Answered answered({&evaluation}, options);
  const auto saves = [&](MachinePart::Kind kind) {
    return std::any_of(answered.savings.begin(), answered.savings.end(),
                       [&](const Saving& saving) { return saving.parts.front().kind == kind; });
  };
  CHECK(saves(MachinePart::Kind::kept));
  CHECK(saves(MachinePart::Kind::precision));
  for (const Saving& saving : answered.savings) CHECK(saving.parts.front().kind != MachinePart::Kind::port);
}

TEST_CASE("changes: where two ports limit alike neither helps alone, and both together do") {
  // 48 inputs and 48 weights come from memories of their own, 8 bits a cycle each.
  const Accelerator machine =
      accelerator_with("two ports", {64},
                       {one_port_memory("buffer", 1 << 14, {"I1", "I2", "O"}, {"D1"}, 8, 4096),
                        one_port_memory("inputs", 1 << 20, {"I1"}, {"D1"}, 8, 8),
                        one_port_memory("weights", 1 << 20, {"I2"}, {"D1"}, 8, 8),
                        one_port_memory("outputs", 1 << 20, {"O"}, {"D1"}, 8, 4096)});
  Layer product = product_by_hand();
  product.loops = {{"B", 6}, {"K", 6}, {"C", 8}};
  product.mapping.spatial_mapping = {};
  JointOptions options;
  options.objective = Objective::latency;
  options.mixed = true;
  const JointOptimum optimum =
      find_joint_optimum(product, std::make_shared<const Accelerator>(machine), options);
  const Evaluation evaluation =
      model_of(optimum.problem)
          .evaluate(std::make_shared<const TemporalMapping>(
              readable(optimum.certificate.mapping, *optimum.problem.layer, *optimum.problem.fractional)));
  const Answered answered({&evaluation});
  REQUIRE(!answered.savings.empty());
  const Saving& first = answered.savings.front();
  CHECK(first.change == "inputs rw_port_1 2 x as wide and weights rw_port_1 2 x as wide");
  CHECK(first.saved > 0.3 * answered.changes.now.front().value);
}
