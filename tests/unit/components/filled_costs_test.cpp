#include "core/components/filled_costs.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/components/arithmetic_cost.hpp"
#include "core/hardware/open_costs.hpp"
#include "tests/unit/worlds/accelerators.hpp"

using namespace zz::core;
using namespace zz::core::components;

namespace {

Accelerator small() { return zz::test::small_accelerator(64, 65536, 8); }

/// Its second memory from the top, which is the buffer, without costs.
Accelerator with_open_buffer() {
  Accelerator accelerator = small();
  Memory& buffer = accelerator.memories[accelerator.memories.size() - 2];
  buffer.read_cost = buffer.write_cost = buffer.area = open_cost;
  return accelerator;
}

std::string refusal(const Accelerator& accelerator, const CostChoices& choices = {}) {
  try {
    fill_open_costs(accelerator, choices);
    return "";
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
}

}  // namespace

TEST_CASE("open costs are filled, told ones stay") {
  const Accelerator before = with_open_buffer();
  CHECK_THROWS_WITH_AS(check_costs_are_told(before), doctest::Contains("put ComponentCostStage below"),
                       InputError);
  const FilledAccelerator filled = fill_open_costs(before, {.node = 28});
  CHECK_NOTHROW(check_costs_are_told(filled.accelerator));
  const ComponentCost sram = sram_cost({65536, 8, 28});
  Accelerator expected = small();
  Memory& buffer = expected.memories[expected.memories.size() - 2];
  buffer.read_cost = sram.energy.value;
  buffer.write_cost = sram.write_energy.value;
  buffer.area = sram.area.value;
  buffer.read_range = {sram.energy.low / sram.energy.value, sram.energy.high / sram.energy.value};
  buffer.write_range = {sram.write_energy.low / sram.write_energy.value,
                        sram.write_energy.high / sram.write_energy.value};
  CHECK(filled.accelerator == expected);
  REQUIRE(filled.parts.size() == 1);
  CHECK(filled.parts[0].part == buffer.name);
  CHECK(filled.parts[0].filled == std::vector<std::string>{"r_cost", "w_cost", "area"});
}

TEST_CASE("an accelerator without open costs stays as it is, whatever its memories are") {
  Accelerator accelerator = small();
  accelerator.memories.back().size = 100'000'000'000;
  accelerator.memories.front().memory_type = "carpet";
  CHECK(fill_open_costs(accelerator, {}).accelerator == accelerator);
}

TEST_CASE("a memory is asked for by its type, size and ports") {
  Accelerator accelerator = with_open_buffer();
  Memory& buffer = accelerator.memories[accelerator.memories.size() - 2];
  const auto read_cost = [&] {
    const Accelerator filled = fill_open_costs(accelerator, {.node = 45, .dram = "hbm2"}).accelerator;
    return filled.memories[filled.memories.size() - 2].read_cost;
  };
  buffer.ports = {{"r_port_1", PortType::read, 8, 32, buffer.ports.front().allocation},
                  {"w_port_1", PortType::write, 8, 128, {}}};
  CHECK(read_cost() == sram_cost({65536, 32, 45}).energy.value);
  buffer.memory_type = "rf";
  CHECK(read_cost() == register_file_cost({65536, 32, 45}).energy.value);
  buffer.memory_type = "dram";
  CHECK(read_cost() == dram_cost("hbm2", 32).energy.value);
  buffer.memory_type = "ddr4";
  CHECK(read_cost() == dram_cost("ddr4", 32).energy.value);
  buffer.memory_type = "sram";
  buffer.size = 64;
  CHECK(read_cost() == register_file_cost({64, 32, 45}).energy.value);
}

TEST_CASE("units cost what their numbers do") {
  Accelerator accelerator = small();
  accelerator.array.unit_energy = accelerator.array.unit_area = open_cost;
  CHECK(refusal(accelerator).find("the operational array of accelerator") == 0);
  CHECK(refusal(accelerator).find("write operand_precision in the file") != std::string::npos);
  CHECK(fill_open_costs(accelerator, {.node = 45, .type = "fp16"}).accelerator.array.unit_energy ==
        doctest::Approx(2.0));
  accelerator.array.operand_precision = {{"W", 8}, {"I", 4}};
  CHECK(fill_open_costs(accelerator, {.node = 45}).accelerator.array.unit_energy == doctest::Approx(0.3));
  accelerator.array.operand_precision.push_back({"O", 16});
  CHECK(fill_open_costs(accelerator, {.node = 45}).accelerator.array.unit_energy ==
        multiply_accumulate_cost(format_of("int8"), 45, 16).energy.value);
}

TEST_CASE("an open cost that nobody can answer names the memory") {
  Accelerator accelerator = with_open_buffer();
  Memory& buffer = accelerator.memories[accelerator.memories.size() - 2];
  buffer.size = 100'000'000'000;
  CHECK(refusal(accelerator).find("memory '" + buffer.name + "' of accelerator") == 0);
  CHECK(refusal(accelerator).find("is its mem_type dram?") != std::string::npos);
  buffer.memory_type = "carpet";
  CHECK(refusal(accelerator).find("its mem_type is 'carpet'; known are sram, rf, dram, ddr3") !=
        std::string::npos);
}

TEST_CASE("leakage counts every instance, access time the slowest") {
  Accelerator accelerator = with_open_buffer();
  Memory& registers = accelerator.memories.front();
  registers.read_cost = open_cost;
  registers.size = 4096;  // one in each of four units
  const std::vector<PartCost> parts = fill_open_costs(accelerator, {}).parts;
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].instances == 4);
  const ComponentCost one = sram_cost({4096, 8, 22}), buffer = sram_cost({65536, 8, 22});
  CHECK(leakage_of(parts) == doctest::Approx(4 * one.leakage.value + buffer.leakage.value));
  CHECK(access_time_of(parts) == buffer.access_time.value);
}

TEST_CASE("areas add up, filled or told, with the range of what was filled") {
  Accelerator accelerator = with_open_buffer();
  accelerator.memories.front().area = 0.25;  // one in each of four units
  accelerator.array.unit_area = 0.5;
  const FilledAccelerator filled = fill_open_costs(accelerator, {});
  const Estimate buffer = filled.parts.front().cost.area, area = area_of(filled);
  CHECK(area.value == doctest::Approx(4 * 0.25 + 4 * 0.5 + buffer.value));
  CHECK(area.high - area.value == doctest::Approx(buffer.high - buffer.value));
  CHECK(area_of(filled, &accelerator).value == doctest::Approx(4 * 0.5));  // all memories in common
  CHECK(area_of(filled.accelerator) == area.value);
}

TEST_CASE("a memory by itself costs what it does on its accelerator") {
  const Accelerator open = with_open_buffer();
  const FilledAccelerator filled = fill_open_costs(open, {.node = 45});
  for (std::size_t i = 0; i < open.memories.size(); ++i) {
    Memory memory = open.memories[i];
    const auto part = fill_open_costs(memory, {.node = 45});
    CHECK(part.has_value() == (memory.name == filled.parts.front().part));
    CHECK(memory == filled.accelerator.memories[i]);
  }
}

TEST_CASE("what was filled has its range beside it, what was told has none") {
  const FilledAccelerator filled = fill_open_costs(with_open_buffer(), {.node = 45});
  const ComponentCost& cost = filled.parts.front().cost;
  for (const Memory& memory : filled.accelerator.memories) {
    const bool open = memory.name == filled.parts.front().part;
    CHECK((memory.read_range == CostRange{}) != open);
    if (!open) continue;
    CHECK(memory.read_range.low * memory.read_cost == doctest::Approx(cost.energy.low));
    CHECK(memory.read_range.high * memory.read_cost == doctest::Approx(cost.energy.high));
    CHECK(memory.write_range.low * memory.write_cost == doctest::Approx(cost.write_energy.low));
    CHECK(memory.write_range.high * memory.write_cost == doctest::Approx(cost.write_energy.high));
  }
  CHECK(filled.accelerator.array.unit_range == CostRange{});
}

TEST_CASE("another source may answer for SRAM") {
  std::vector<MemoryComponent> asked;
  const FilledAccelerator filled =
      fill_open_costs(with_open_buffer(), {.node = 32}, [&](const MemoryComponent& question) {
        asked.push_back(question);
        ComponentCost cost;
        cost.energy = cost.write_energy = cost.area = {7, 7, 7};
        return cost;
      });
  REQUIRE_FALSE(asked.empty());
  CHECK(asked.front().node == 32);
  CHECK(filled.accelerator.memories[filled.accelerator.memories.size() - 2].write_cost == 7);
}
