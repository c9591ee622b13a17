// Changes that would make a layer faster.
#include "core/search/helps/helps.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

#include "core/search/temporal/loop_allocator.hpp"
#include "tests/unit/worlds/hand_example.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

std::vector<Help> all_helps(const Evaluation& evaluation, HelpOptions options = {}) {
  options.least = -1;  // whatever it saves
  const Evaluation* const one = &evaluation;
  return helps_for({&one, 1}, options).found;
}

double saved(const std::vector<Help>& helps, const std::string& change) {
  const auto found =
      std::find_if(helps.begin(), helps.end(), [&](const Help& help) { return help.change == change; });
  CAPTURE(change);
  REQUIRE(found != helps.end());
  return found->saved;
}

}  // namespace

TEST_CASE("helps: of a matrix product worked out by hand") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const std::vector<Help> helps = all_helps(evaluation);
  // An access takes a cycle, however wide.
  CHECK(saved(helps, "buffer r_port_1 2 x as wide") == 0);
  CHECK(saved(helps, "buffer: reads of I through a port of its own") == 63);
  CHECK(saved(helps, "buffer: reads of O's sums through a port of its own") == 63);
  CHECK(saved(helps, "dram rw_port_1 2 x as wide") == 19);
  CHECK(helps.front().saved == 63);

  const Evaluation* const one = &evaluation;
  const std::vector<Help> worth_it = helps_for({&one, 1}, {.search = true}).found;
  CHECK(saved(worth_it, "another unrolling") == 49);
  for (const Help& help : worth_it) {
    CHECK(help.saved >= 0.01 * evaluation.latency_total2);
    CHECK(help.latency == evaluation.latency_total2 - help.saved);
    CHECK(help.mapping == (help.kind == "unrolling" ? "searched, proven best" : "same, exact"));
  }
}

TEST_CASE("helps: a layer that is repeated, two layers, and one that nobody can evaluate again") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  const Evaluation thrice = scale(evaluation, 3);
  CHECK(thrice.times == 3);
  CHECK(why_not_repeatable(thrice).empty());
  CHECK(saved(all_helps(thrice), "dram rw_port_1 2 x as wide") == 3 * 19);
  const std::vector<const Evaluation*> both = {&evaluation, &thrice};
  CHECK(saved(helps_for(both, {.least = -1}).found, "dram rw_port_1 2 x as wide") == 4 * 19);
  Evaluation changed = evaluation;
  changed.energy_total += 1;
  const std::string reason = "a stage changed its figures after the cost model";
  CHECK(why_not_repeatable(changed) == reason);
  const Helps none = helps_for(std::vector<const Evaluation*>{&changed}, {.least = -1});
  CHECK(none.found.empty());
  CHECK(none.not_known == std::vector{reason});
  const std::vector<const Evaluation*> one_unknown = {&evaluation, &changed};
  const Helps of_one = helps_for(one_unknown, {.least = -1});
  CHECK(saved(of_one.found, "dram rw_port_1 2 x as wide") == 19);
  CHECK(of_one.not_known == std::vector{"1 of 2 layers stay as they are: " + reason});
  Evaluation of_a_plugin = evaluation;
  of_a_plugin.cost_model.reset();
  CHECK(why_not_repeatable(of_a_plugin) != "");
}

TEST_CASE("helps: what an evaluation costs elsewhere is costed by its own rules") {
  // Several sets of rules give the figures of this layer, and different ones on a wider port.
  Layer product = product_by_hand();
  product.loops = {{"B", 4}, {"K", 7}, {"C", 8}};
  std::set<double> different;
  for (const char* compat :
       {"", "zigzag-3.8.5", "zigzag-3.9", "zigzag-3.9 but faster_than_ports", "stream-0.0.8"}) {
    for (const bool same_data_free : {false, true}) {
      CAPTURE(compat);
      const CostModelOptions options{.same_data_free = same_data_free, .rules = rules_of(compat)};
      const Evaluation evaluation = evaluated(narrow_dram(), product, order_by_hand, options);
      CHECK(evaluation.cost_model == options);
      CHECK(why_not_repeatable(evaluation).empty());
      Accelerator wide = narrow_dram();
      for (Memory& memory : wide.memories)
        if (memory.name == "dram")
          for (Port& port : memory.ports) port.bandwidth_max *= 2;
      const double after = evaluated(wide, product, order_by_hand, options).latency_total2;
      CHECK(saved(all_helps(evaluation), "dram rw_port_1 2 x as wide") ==
            evaluation.latency_total2 - after);
      different.insert(after);
    }
  }
  CHECK(different.size() > 1);
}

TEST_CASE("helps: ports that only help together are named together") {
  // Each direction of each input has a port of its own, and both fall behind by the same.
  Accelerator accelerator = narrow_dram();
  accelerator.memories.front().ports = memory("", 0, {"I1", "I2", "O"}, {}, 4).ports;
  Layer product = product_by_hand();
  product.loops = {{"B", 4}, {"K", 4}, {"C", 8}};
  product.mapping.spatial_mapping = {{{"D1", {{"C", 4}}}}};
  const Evaluation evaluation = evaluated(accelerator, product, {{"C", 2}, {"B", 4}, {"K", 4}});
  const std::vector<Help> helps = all_helps(evaluation);
  const auto together =
      std::find_if(helps.begin(), helps.end(), [](const Help& help) { return help.kind == "together"; });
  REQUIRE(together != helps.end());
  CHECK(together->changes >= 2);
  CHECK(together->saved > 0);
  for (const Help& help : helps)
    if (help.kind == "wider") CHECK(help.saved < together->saved);
}

TEST_CASE("helps: every change of random problems is what its accelerator costs") {
  RandomProblems problems;
  int changes = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const auto accelerator = std::make_shared<const Accelerator>(problems.accelerator());
    int nth = 0;
    for_each_mapping(
        problems.layer(), accelerator, [&](auto layer, auto fractional, auto integral, auto mapping) {
          if (nth++ % 16 != 0) return;
          const Evaluation before =
              CostModel(accelerator, layer, fractional, integral, {}).evaluate(mapping);
          const std::vector<Help> helps = all_helps(before);
          for (const Memory& memory : accelerator->memories) {
            for (const Port& port : memory.ports) {
              Accelerator wide = *accelerator;
              for (Memory& changed : wide.memories)
                if (changed.name == memory.name)
                  for (Port& one : changed.ports)
                    if (one.name == port.name) one.bandwidth_max *= 2;
              const double after =
                  CostModel(std::make_shared<const Accelerator>(wide), layer, fractional, integral, {})
                      .evaluate(mapping)
                      .latency_total2;
              const auto help = std::find_if(helps.begin(), helps.end(), [&](const Help& one) {
                return one.change == memory.name + " " + port.name + " 2 x as wide";
              });
              if (help == helps.end()) continue;  // nothing goes through it
              CHECK(help->latency == after);
              ++changes;
            }
          }
        });
  }
  CHECK(changes > 100);
}
