// Parts of latency and energy.
#include "core/cost/detail/parts_of_mapping.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include "core/compat/rules.hpp"
#include "core/cost/cost_model.hpp"
#include "core/cost/part_words.hpp"
#include "tests/unit/worlds/hand_example.hpp"
#include "tests/unit/worlds/random_problems.hpp"

namespace {

using namespace zz::core;
using namespace zz::test;

double sum_of_cycles(const Evaluation& evaluation) {
  return std::accumulate(evaluation.latency_parts.begin(), evaluation.latency_parts.end(), 0.0,
                         [](double sum, const LatencyPart& part) { return sum + part.cycles; });
}

double sum_of_energy(const Evaluation& evaluation) {
  return std::accumulate(evaluation.energy_parts.begin(), evaluation.energy_parts.end(), 0.0,
                         [](double sum, const EnergyPart& part) { return sum + part.pJ; });
}

/// Cycles by cause.
std::map<std::string, double> by_cause(const Evaluation& evaluation) {
  std::map<std::string, double> sums;
  for (const LatencyPart& part : evaluation.latency_parts) sums[part.cause] += part.cycles;
  return sums;
}

/// Cycles by limiter.
std::map<std::string, double> by_limiter(const Evaluation& evaluation) {
  std::map<std::string, double> sums;
  for (const LatencyPart& part : evaluation.latency_parts) sums[part.limiter()] += part.cycles;
  return sums;
}

const PortFigures& port(const Evaluation& evaluation, const std::string& memory, const std::string& name) {
  const auto found =
      std::find_if(evaluation.ports.begin(), evaluation.ports.end(),
                   [&](const PortFigures& one) { return one.memory == memory && one.port == name; });
  REQUIRE(found != evaluation.ports.end());
  return *found;
}

}  // namespace

TEST_CASE("share of the largest: slices between heights belong to all that reach above them") {
  CHECK(share_of_largest(std::vector<double>{9, 77, 2}) ==
        std::vector<double>{2.0 / 3 + 7.0 / 2, 2.0 / 3 + 7.0 / 2 + 68, 2.0 / 3});
  CHECK(share_of_largest(std::vector<double>{-3, 5, 5, 0}) == std::vector<double>{0, 2.5, 2.5, 0});
  CHECK(share_of_largest({}).empty());
}

TEST_CASE("parts: a matrix product worked out by hand") {
  const Evaluation evaluation = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  CHECK(evaluation.latency_total2 == 179);
  const auto causes = by_cause(evaluation);
  CHECK(causes.at("ideal") == 48);
  // 6 columns on 4 units are 3 in each of two rounds.
  CHECK(causes.at("remainder") == 16);
  CHECK(causes.count("idle") == 0);
  CHECK(causes.at("stall") == doctest::Approx(77).epsilon(1e-12));
  CHECK(causes.at("onloading") == 8 + 6);
  CHECK(causes.at("offloading") == 24);
  CHECK(causes.count("wait") == 0);
  for (const LatencyPart& part : evaluation.latency_parts) {
    if (part.cause != "remainder") continue;
    CHECK(part.loop == "K");
    CHECK(part.behind == "dram.rw_port_1");
  }

  const PortFigures& reads = port(evaluation, "buffer", "r_port_1");
  CHECK(reads.needed == 63 + 15 + 63);
  CHECK(reads.given == 64);
  CHECK(reads.stall == 77);
  CHECK(reads.slack == 0);
  CHECK(reads.uses.size() == 4);
  const PortFigures& writes = port(evaluation, "buffer", "w_port_1");
  CHECK(writes.needed == 3 + 7 + 63);
  CHECK(writes.stall == 9);
  const PortFigures& dram = port(evaluation, "dram", "rw_port_1");
  CHECK(dram.bandwidth == 8);
  CHECK(dram.needed == 8 * 3 + 6 * 7);
  CHECK(dram.stall == 2);
  CHECK(dram.traffic == 32 + 48 + 24);
  CHECK(dram.traffic_above_lowest == 104);

  const auto limiters = by_limiter(evaluation);
  CHECK(limiters.at("buffer.r_port_1") == doctest::Approx(72 + 1.0 / 6).epsilon(1e-12));
  CHECK(limiters.at("buffer.w_port_1") == doctest::Approx(4 + 1.0 / 6).epsilon(1e-12));
  CHECK(limiters.at("dram.rw_port_1") == doctest::Approx(16 + 2.0 / 3 + 14 + 24).epsilon(1e-12));
  CHECK(limiters.at("units") == 48);
  CHECK(limited_by(evaluation) == "buffer.r_port_1");
  CHECK(limits_of(evaluation)[1].limiter == "dram.rw_port_1");
}

TEST_CASE("parts: they add up, and none is negative") {
  RandomProblems problems;
  const Rules compat = rules_of("zigzag-3.9");
  int evaluations = 0;
  std::map<std::string, int> seen;
  for (int trial = 0; trial < 40; ++trial) {
    const auto accelerator = std::make_shared<const Accelerator>(problems.accelerator());
    for_each_mapping(
        problems.layer(), accelerator, [&](auto layer, auto fractional, auto integral, auto mapping) {
          for (const Rules& rules : {Rules{}, compat}) {
            const Evaluation evaluation =
                CostModel(accelerator, layer, fractional, integral, {.rules = rules}).evaluate(mapping);
            CAPTURE(trial);
            CHECK(sum_of_cycles(evaluation) == doctest::Approx(evaluation.latency_total2).epsilon(1e-9));
            CHECK(sum_of_energy(evaluation) == doctest::Approx(evaluation.energy_total).epsilon(1e-9));
            for (const LatencyPart& part : evaluation.latency_parts) {
              CHECK(part.cycles >= 0);
              ++seen[part.cause + part.because];
            }
            for (const EnergyPart& part : evaluation.energy_parts) CHECK(part.pJ > 0);
            const double stalls = evaluation.latency_total0 - evaluation.ideal_temporal_cycle;
            for (const PortFigures& one : evaluation.ports) CHECK(static_cast<double>(one.stall) <= stalls);
            ++evaluations;
          }
        });
  }
  CHECK(evaluations > 1000);
  for (const char* cause : {"ideal", "idle", "remainder", "stallbandwidth", "stallsingle buffer",
                            "stallshared port", "onloading", "offloading", "wait"})
    CHECK_MESSAGE(seen[cause] > 0, cause);
}

TEST_CASE("parts: equal ports share equally, and names are of no consequence") {
  using enum Direction;
  // A port for each direction of each input, of the same width, which both are asked for the same.
  Layer product = product_by_hand();
  product.loops = {{"B", 4}, {"K", 4}, {"C", 8}};
  product.mapping.spatial_mapping = {{{"D1", {{"C", 4}}}}};
  Accelerator accelerator = narrow_dram();
  accelerator.memories.front().ports = memory("", 0, {"I1", "I2", "O"}, {}, 4).ports;
  const std::vector<TemporalLoop> order = {{"C", 2}, {"B", 4}, {"K", 4}};
  const Evaluation before = evaluated(accelerator, product, order);
  const auto limiters = by_limiter(before);
  REQUIRE(limiters.at("buffer.I1tl") > 0);
  CHECK(limiters.at("buffer.I1tl") == limiters.at("buffer.I2tl"));

  for (Memory& memory : accelerator.memories) {
    memory.name = "x" + memory.name;
    for (Port& one : memory.ports) one.name = "x" + one.name;
  }
  const Evaluation after = evaluated(accelerator, product, order);
  REQUIRE(after.latency_parts.size() == before.latency_parts.size());
  for (std::size_t i = 0; i < before.latency_parts.size(); ++i) {
    CHECK(after.latency_parts[i].cycles == before.latency_parts[i].cycles);
    if (!before.latency_parts[i].port.empty())
      CHECK(after.latency_parts[i].port == "x" + before.latency_parts[i].port);
  }
}

TEST_CASE("parts: an array dimension that is cut in two loses as much") {
  Layer product = product_by_hand();
  product.loops = {{"B", 3}, {"K", 6}, {"C", 5}};
  Accelerator accelerator = narrow_dram();
  accelerator.array.dimensions = {{"D1", 8}, {"D2", 6}};
  for (Memory& memory : accelerator.memories) memory.served_dimensions = {"D1", "D2"};
  product.mapping.spatial_mapping = {{{"D1", {{"K", 4}}}, {"D2", {{"C", 3}}}}};
  const std::vector<TemporalLoop> order = {{"B", 3}, {"K", 2}, {"C", 2}};
  const Evaluation whole = evaluated(accelerator, product, order);
  accelerator.array.dimensions = {{"D1a", 4}, {"D1b", 2}, {"D2", 6}};
  for (Memory& memory : accelerator.memories) memory.served_dimensions = {"D1a", "D1b", "D2"};
  product.mapping.spatial_mapping = {{{"D1a", {{"K", 2}}}, {"D1b", {{"K", 2}}}, {"D2", {{"C", 3}}}}};
  const Evaluation cut = evaluated(accelerator, product, order);
  REQUIRE(cut.latency_total2 == whole.latency_total2);
  const auto lost = [](const Evaluation& evaluation) {
    std::map<std::string, double> sums;
    for (const LatencyPart& part : evaluation.latency_parts)
      sums[part.array_dimension.substr(0, 2) + part.loop] += part.cycles;
    return sums;
  };
  const auto of_whole = lost(whole), of_cut = lost(cut);
  for (const char* column : {"D1", "D2", "K", "C"}) {
    REQUIRE(of_whole.count(column) == 1);
    CHECK(of_cut.at(column) == doctest::Approx(of_whole.at(column)).epsilon(1e-12));
  }
}

TEST_CASE("parts: sums, repetitions, and what is not known") {
  const Evaluation one = evaluated(narrow_dram(), product_by_hand(), order_by_hand);
  Evaluation sum = add(add(Evaluation{}, one), one);
  CHECK(sum.latency_parts.size() == one.latency_parts.size());
  CHECK(sum.ports.empty());
  const Evaluation twice = scale(one, 2);
  for (std::size_t i = 0; i < one.latency_parts.size(); ++i) {
    CHECK(sum.latency_parts[i].cycles == 2 * one.latency_parts[i].cycles);
    CHECK(twice.latency_parts[i].cycles == 2 * one.latency_parts[i].cycles);
  }
  for (std::size_t i = 0; i < one.energy_parts.size(); ++i)
    CHECK(twice.energy_parts[i].pJ == 2 * one.energy_parts[i].pJ);

  CHECK(limits_of(Evaluation{}).empty());
  Evaluation unexplained;
  unexplained.latency_total2 = 1000;
  sum = add(sum, unexplained);
  CHECK(limits_of(sum).front().limiter == "");
  CHECK(limits_of(sum).front().cycles == doctest::Approx(1000));
  CHECK(limited_by(sum) == "");
}

TEST_CASE("parts: the energy has the range of the costs that were filled in") {
  Accelerator accelerator = narrow_dram();
  CHECK_FALSE(energy_range(evaluated(accelerator, product_by_hand(), order_by_hand)));
  Memory& dram = accelerator.memories.back();
  dram.read_range = {0.5, 3};
  dram.write_range = {0.25, 2};
  accelerator.array.unit_range = {0.8, 1.1};
  const Evaluation one = evaluated(accelerator, product_by_hand(), order_by_hand);
  EnergyRange by_hand{0, 0};
  for (const EnergyPart& part : one.energy_parts) {
    const bool reads = part.direction.starts_with("rd_");
    const CostRange range = part.memory.empty()        ? accelerator.array.unit_range
                            : part.memory != dram.name ? CostRange{}
                            : reads                    ? dram.read_range
                                                       : dram.write_range;
    by_hand.low += part.pJ * range.low;
    by_hand.high += part.pJ * range.high;
  }
  const auto range = energy_range(one);
  REQUIRE(range);
  CHECK(range->low == doctest::Approx(by_hand.low));
  CHECK(range->high == doctest::Approx(by_hand.high));
  CHECK(metrics_of(one) == std::vector<std::pair<std::string, double>>{{"energy_low", range->low},
                                                                       {"energy_high", range->high}});
  // Sums and repetitions have it, what another stage made of the energy has none.
  CHECK(energy_range(scale(one, 3))->high == doctest::Approx(3 * by_hand.high));
  Evaluation sum = add(add(Evaluation{}, one), scale(one, 3));
  CHECK(energy_range(sum)->low == doctest::Approx(4 * by_hand.low));
  sum.energy_total *= 2;
  CHECK_FALSE(energy_range(sum));
}

TEST_CASE("a port that needs the cycles of idle units does not limit by itself") {
  const auto with_idle = [](double cycles) {
    LatencyPart ideal, idle, stall;
    ideal.cause = "ideal";
    ideal.cycles = 20;
    idle.cause = "idle";
    idle.behind = "sram.r_port_1";
    idle.cycles = cycles;
    stall.cause = "stall";
    stall.memory = "sram";
    stall.port = "r_port_1";
    stall.cycles = 30;
    Evaluation one;
    one.latency_parts = {ideal, idle, stall};
    one.latency_total2 = 50 + cycles;
    return limit_words(one);
  };
  CHECK(with_idle(50) == "idle units and sram r_port_1 together 80 %");
  CHECK(with_idle(10) == "sram r_port_1 67 %");
}
