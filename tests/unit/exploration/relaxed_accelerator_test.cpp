#include "core/exploration/relaxed_accelerator.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/hardware/memory_hierarchy.hpp"
#include "core/search/optimal/joint_bound.hpp"
#include "core/search/optimal/one_order_bound.hpp"
#include "core/search/spatial/spatial_limits.hpp"
#include "tests/unit/worlds/hand_example.hpp"
#include "tests/unit/worlds/random_problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

namespace {

using namespace zz::core;
using zz::test::evaluated;
using zz::test::RandomProblems;
using FieldKind = RelaxableField::Kind;

/// With such names of ports as accelerators must have.
Accelerator named(Accelerator accelerator) {
  for (Memory& memory : accelerator.memories) {
    int number = 0;
    for (Port& port : memory.ports) {
      const char* const type = port.type == PortType::read    ? "r"
                               : port.type == PortType::write ? "w"
                                                              : "rw";
      port.name = type + ("_port_" + std::to_string(++number));
    }
  }
  return accelerator;
}

/// Designs that differ in what has a rule: sizes, widths and costs.
struct Box {
  Accelerator common;
  std::vector<std::shared_ptr<const Accelerator>> designs;
  std::vector<FieldRanges> parts;  ///< each of one design
};

/// The fields of a design that differ from those of others.
FieldRanges fields_of(const Accelerator& design) {
  FieldRanges fields;
  const auto add = [&](FieldKind kind, std::size_t memory, std::size_t port, double value) {
    fields.push_back({{kind, static_cast<int>(memory), static_cast<int>(port)}, {value, value}});
  };
  const std::vector<int>& inner = design.hierarchy().inner_memories;
  for (std::size_t i = 0; i < design.memories.size(); ++i) {
    const Memory& memory = design.memories[i];
    add(FieldKind::read_cost, i, 0, memory.read_cost);
    add(FieldKind::write_cost, i, 0, memory.write_cost);
    const bool is_inner = std::find(inner.begin(), inner.end(), static_cast<int>(i)) != inner.end();
    add(is_inner ? FieldKind::inner_size : FieldKind::size, i, 0, static_cast<double>(memory.size));
    if (is_inner) continue;
    for (std::size_t port = 0; port < memory.ports.size(); ++port)
      add(FieldKind::width, i, port, static_cast<double>(memory.ports[port].bandwidth_max));
  }
  return fields;
}

Box random_box(RandomProblems& random, const Layer& layer, int designs, bool common_buffer) {
  const Accelerator common = random.accelerator();
  Box box{named(common_buffer ? zz::test::with_common_buffer(common) : common), {}, {}};
  const std::vector<int> inner = box.common.hierarchy().inner_memories;
  for (int i = 0; i < designs; ++i) {
    auto design = std::make_shared<Accelerator>(box.common);
    for (std::size_t m = 0; m < design->memories.size(); ++m) {
      Memory& memory = design->memories[m];
      memory.read_cost *= 1 + 0.25 * random.draw(0, 4);
      memory.write_cost *= 1 + 0.25 * random.draw(0, 4);
      if (std::find(inner.begin(), inner.end(), static_cast<int>(m)) != inner.end()) {
        if (!size_limits_unrollings(layer, box.common, static_cast<int>(m)))
          memory.size *= random.draw(1, 3);
        continue;
      }
      if (m + 1 < design->memories.size()) memory.size *= random.draw(1, 6);
      // The same cost of a bit, now and then.
      const int wider = random.draw(1, 3);
      const bool by_bit = random.draw(0, 1) == 1;
      for (Port& port : memory.ports) port.bandwidth_max *= by_bit ? wider : random.draw(1, 3);
      if (by_bit) memory.read_cost *= wider;
      if (by_bit) memory.write_cost *= wider;
    }
    box.parts.push_back(fields_of(*design));
    box.designs.push_back(std::move(design));
  }
  return box;
}

struct Comparison {
  int pairs = 0;
  int above = 0;  ///< bounds above the bound or the value of a design
};

/// A layer of several kinds; every third a matrix product of which the memories hold little.
Layer random_layer(RandomProblems& random, int number) {
  if (number % 3 != 0) return random.layer();
  const auto size = [&] { return std::int64_t{8} * random.draw(1, 8); };
  Layer product = zz::test::gemm(size(), size(), size());
  product.operands[0].precision = 32;
  return product;
}

/// A kind of bound, and the function that finds it.
struct Asked {
  Objective objective;
  double (*bound)(const Layer&, const std::shared_ptr<const Accelerator>&, const JointOptions&);
};
constexpr Asked all_asked[] = {{Objective::latency, joint_bound},
                               {Objective::energy, joint_bound},
                               {Objective::energy, one_order_bound}};

/// Compares the bounds of boxes, times `corruption`, with each design inside: with its own bound, which is
/// not above its value, and every tenth time with the value.
Comparison compare(int boxes, double corruption) {
  RandomProblems random;
  Comparison found;
  for (int i = 0; i < boxes; ++i) {
    const Layer layer = random_layer(random, i);
    const Box box = random_box(random, layer, 4, i % 2 == 0);
    const RelaxedAccelerator relaxed = relaxed_accelerator(box.common, box.parts);
    REQUIRE(relaxed.accelerator != nullptr);
    JointOptions options;
    options.mixed = random.draw(0, 1) == 1;
    for (const Asked& asked : all_asked) {
      options.objective = asked.objective;
      const double whole = asked.bound(layer, relaxed.accelerator, options);
      const double slack = asked.objective == Objective::energy ? relaxed.energy_slack : 0;
      const double bound = (whole - slack) * corruption;
      for (const auto& design : box.designs) {
        double value = asked.bound(layer, design, options);
        if (found.pairs % 10 == 0) {
          try {
            const double best = find_joint_optimum(layer, design, options).certificate.value;
            if (value > best * (1 + rounding_tolerance)) ++found.above;
            value = std::min(value, best);
          } catch (const NoResult&) {
            continue;
          }
        }
        ++found.pairs;
        if (bound > value * (1 + rounding_tolerance)) ++found.above;
      }
    }
  }
  return found;
}

void check_bounds(int boxes) {
  const Comparison found = compare(boxes, 1);
  CHECK(found.pairs > boxes);
  CHECK(found.above == 0);
}

double least(Objective objective, const Layer& layer, const Accelerator& design) {
  JointOptions options;
  options.objective = objective;
  return find_joint_optimum(layer, std::make_shared<const Accelerator>(design), options).certificate.value;
}

/// Latencies of one mapping on the designs of a box, the best one last.
struct Latencies {
  double small = 0, large = 0;
};

Latencies latencies(const Evaluation& mapped, const Accelerator& small, const Accelerator& large,
                    const Rules& rules) {
  const auto on = [&](const Accelerator& design) {
    return CostModel(std::make_shared<const Accelerator>(design), mapped.layer, mapped.spatial_mapping,
                     mapped.spatial_mapping_int, {.rules = rules})
        .evaluate(mapped.temporal_mapping)
        .latency_total2;
  };
  return {on(small), on(large)};
}

/// A mapping is slower on the better of two designs by a rule of ZigZag's, so that its latency there says
/// nothing of the other design. By zz's own rules it is not, and the bound of the box holds by both.
void check_slower_by(const Rules& rules, const Layer& layer, const std::vector<TemporalLoop>& order,
                     const Accelerator& small, const Accelerator& large, const RelaxableField& field) {
  const Evaluation mapped = evaluated(small, layer, order);
  const Latencies told = latencies(mapped, small, large, rules);
  CHECK(told.large > told.small);
  const Latencies corrected = latencies(mapped, small, large, {});
  CHECK(corrected.large <= corrected.small);
  const auto value = [&](const Accelerator& design) {
    const Memory& memory = design.memories.at(static_cast<std::size_t>(field.memory));
    return static_cast<double>(field.kind == FieldKind::size
                                   ? memory.size
                                   : memory.ports.at(static_cast<std::size_t>(field.port)).bandwidth_max);
  };
  const RelaxedAccelerator relaxed =
      relaxed_accelerator(small, std::vector<FieldRanges>{{{field, {value(small), value(large)}}}});
  REQUIRE(relaxed.accelerator != nullptr);
  CHECK(*relaxed.accelerator == large);
  JointOptions options;
  options.objective = Objective::latency;
  const double bound = joint_bound(layer, relaxed.accelerator, options);
  CHECK(bound > 0);
  for (const double latency :
       {told.small, told.large, corrected.small, corrected.large, least(Objective::latency, layer, small),
        least(Objective::latency, layer, large)})
    CHECK(bound <= latency * (1 + rounding_tolerance));
}

}  // namespace

TEST_CASE("relaxed accelerator: no design of a box has less than the bounds of the box") {
  check_bounds(zz::test::daily(3, 30));
}

TEST_CASE("relaxed accelerator: no design of a hundred thousand has less than the bounds of its box" *
          doctest::skip()) {
  const Comparison found = compare(9000, 1);
  CHECK(found.pairs > 100000);
  CHECK(found.above == 0);
}

TEST_CASE("relaxed accelerator: a bound that is too high is noticed") {
  CHECK(compare(zz::test::daily(4, 30), 1.02).above > 0);
}

TEST_CASE("relaxed accelerator: whole accesses of wide ports may cost more than those of narrow ones") {
  Memory narrow = zz::test::one_port_memory("buffer", 4096, {"I1", "I2", "O"}, {"D1", "D2"}, 8, 48);
  narrow.read_cost = narrow.write_cost = 48;
  Accelerator common = named(zz::test::accelerator_with("small", {1, 1}, {narrow}));
  Memory wide = common.memories[0];
  wide.ports[0].bandwidth_max = 64;
  wide.read_cost = wide.write_cost = 64;
  Accelerator other = common;
  other.memories[0] = wide;
  const std::vector<FieldRanges> parts{{{{FieldKind::width, 0, 0}, {48, 48}},
                                        {{FieldKind::read_cost, 0}, {48, 48}},
                                        {{FieldKind::write_cost, 0}, {48, 48}}},
                                       {{{FieldKind::width, 0, 0}, {64, 64}},
                                        {{FieldKind::read_cost, 0}, {64, 64}},
                                        {{FieldKind::write_cost, 0}, {64, 64}}}};
  const RelaxedAccelerator relaxed = relaxed_accelerator(common, parts);
  REQUIRE(relaxed.accelerator != nullptr);
  CHECK(*relaxed.accelerator == other);
  // One access of 48 is counted for 64 bits that move, or one of 64.
  const Layer layer = zz::test::gemm(1, 1, 8);
  const auto energy_on = [&](const Accelerator& design) { return least(Objective::energy, layer, design); };
  CHECK(energy_on(other) > energy_on(common));
  CHECK(energy_on(other) - relaxed.energy_slack <= energy_on(common));
  CHECK(relaxed.energy_slack > 0);
}

TEST_CASE("relaxed accelerator: a larger memory may give its second buffer to another operand") {
  const std::vector<std::string> all{"I1", "I2", "O"};
  const Accelerator small =
      named(zz::test::accelerator_with("small", {2},
                                       {zz::test::memory("buffer", 160, all, {"D1"}, 32),
                                        zz::test::memory("dram", 1 << 20, all, {"D1"}, 8)}));
  Accelerator large = small;
  large.memories[0].size = 176;
  Layer layer = zz::test::gemm(2, 2, 4);
  layer.operands[0].precision = 16;
  layer.mapping.spatial_mapping = {{{"D1", {{layer.loops[1].name, 2}}}}};
  const std::string &m = layer.loops[0].name, &c = layer.loops[2].name;
  check_slower_by({.second_buffers_by_operand = true}, layer, {{c, 2}, {m, 2}, {c, 2}}, small, large,
                  {FieldKind::size, 0});
}

TEST_CASE("relaxed accelerator: stalls that a wider port saves may have hidden more than they cost") {
  const auto of = [](const char* name, std::int64_t size, const char* operand, std::int64_t word) {
    return zz::test::memory(name, size, {operand}, {"D1"}, word);
  };
  const Accelerator narrow = named(zz::test::accelerator_with(
      "small", {2},
      {of("inner inputs", 256, "I1", 16), of("inputs", 1024, "I1", 16), of("inner weights", 32, "I2", 32),
       of("weights", 1024, "I2", 2), of("inner sums", 32, "O", 32), of("sums", 1024, "O", 32),
       zz::test::one_port_memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 1, 4)}));
  const RelaxableField read_of_weights{FieldKind::width, 3, static_cast<int>(Direction::read_to_low)};
  Accelerator wide = narrow;
  wide.memories[3].ports.at(static_cast<std::size_t>(read_of_weights.port)).bandwidth_max = 4;
  Layer layer = zz::test::gemm(4, 8, 4);
  layer.operands[0].precision = 16;
  layer.mapping.spatial_mapping = {{{"D1", {{layer.loops[1].name, 2}}}}};
  const std::string &m = layer.loops[0].name, &n = layer.loops[1].name, &c = layer.loops[2].name;
  check_slower_by({.stalls_hide_at_every_port = true}, layer,
                  {{m, 2}, {m, 2}, {n, 2}, {c, 2}, {n, 2}, {c, 2}}, narrow, wide, read_of_weights);
}

TEST_CASE("relaxed accelerator: a larger array may need more energy, and has no rule") {
  Accelerator two =
      zz::test::accelerator_with("small", {2},
                                 {zz::test::memory("register", 16, {"I2"}, {}, 16),
                                  zz::test::memory("buffer", 96, {"I1", "O"}, {"D1"}, 32),
                                  zz::test::memory("dram", 1 << 20, {"I1", "I2", "O"}, {"D1"}, 32)});
  two = named(two);
  two.memories[2].read_cost = two.memories[2].write_cost = 20;
  Accelerator three = two;
  three.array.dimensions[0].size = 3;
  Layer layer = zz::test::gemm(2, 7, 2);
  layer.operands[0].precision = 8;
  // Seven columns come in rounds of two on two units, and in rounds of three on three.
  const auto bound = [&](const Accelerator& design) {
    return joint_bound(layer, std::make_shared<const Accelerator>(design), {});
  };
  const double on_two = least(Objective::energy, layer, two),
               on_three = least(Objective::energy, layer, three);
  CHECK(on_three > on_two);
  // Not even a bound of the larger array is one of the smaller.
  CHECK(bound(three) > on_two);
  CHECK_FALSE(relaxable_field(two, "operational_array[dimensions][0][size]"));
  CHECK_FALSE(relaxable_field(two, "operational_array[sizes][0]"));
  CHECK(bound(two) <= on_two * (1 + rounding_tolerance));
  CHECK(bound(three) <= on_three * (1 + rounding_tolerance));
}

TEST_CASE("relaxed accelerator: sizes and widths grow, a bit costs what it costs least") {
  const Accelerator common = named(zz::test::small_accelerator(16, 512, 8));
  const RelaxableField size{FieldKind::size, 2}, width{FieldKind::width, 2, 0},
      read{FieldKind::read_cost, 2};
  const std::vector<FieldRanges> parts{{{size, {512, 1024}}, {width, {8, 8}}, {read, {4, 5}}},
                                       {{size, {512, 2048}}, {width, {16, 16}}, {read, {10, 12}}}};
  const RelaxedAccelerator relaxed = relaxed_accelerator(common, parts);
  REQUIRE(relaxed.accelerator != nullptr);
  const Memory& memory = relaxed.accelerator->memories[2];
  CHECK(memory.size == 2048);
  CHECK(memory.ports[0].bandwidth_max == 16);
  // Other ports have the width that they had: there an access costs 4 at least.
  CHECK(memory.read_cost == 4);
  CHECK(relaxed.energy_slack == 0);
  const RelaxedAccelerator wider = relaxed_accelerator(common, {{parts[0]}}, {{{width, {32, 32}}}});
  CHECK(wider.accelerator->memories[2].ports[0].bandwidth_max == 32);
}

TEST_CASE("relaxed accelerator: fields without a rule are told apart") {
  Accelerator accelerator = zz::test::small_accelerator(16, 512, 8);
  CHECK(relaxable_field(accelerator, "memories[2][size]")->kind == FieldKind::size);
  CHECK(relaxable_field(accelerator, "memories[2][ports][1][bandwidth_max]")->port == 1);
  CHECK(relaxable_field(accelerator, "memories[0][r_cost]")->kind == FieldKind::read_cost);
  CHECK(relaxable_field(accelerator, "memories[2][area]")->kind == FieldKind::unseen);
  CHECK(relaxable_field(accelerator, "memories[0][size]")->kind == FieldKind::inner_size);
  CHECK_FALSE(relaxable_field(accelerator, "memories[0][ports][0][bandwidth_max]"));
  CHECK_FALSE(relaxable_field(accelerator, "memories[2][ports][1][bandwidth_min]"));
  CHECK_FALSE(relaxable_field(accelerator, "operational_array[dimensions][0][size]"));
  accelerator.memories[2].tile_interval = 4;
  CHECK_FALSE(relaxable_field(accelerator, "memories[2][size]"));
}
