#include "core/input/zigzag/accelerator_yaml.hpp"

#include <doctest/doctest.h>

#include "core/hardware/open_costs.hpp"
#include "core/input/yaml/document.hpp"
#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using zz::test::errors_of;
using zz::test::with;

namespace {

const std::string small =
    "name: small\n"
    "memories:\n"
    "  rf:\n"
    "    size: 64\n"
    "    r_cost: 0.5\n"
    "    w_cost: 1\n"
    "    area: 0\n"
    "    latency: 1\n"
    "    operands: [I1, I2, O]\n"
    "    ports:\n"
    "      - name: r_port_1\n"
    "        type: read\n"
    "        bandwidth_min: 8\n"
    "        bandwidth_max: 16\n"
    "        allocation: [\"I1, tl\", \"O, th\"]\n"
    "    served_dimensions: [D1]\n"
    "operational_array:\n"
    "  unit_energy: 0.5\n"
    "  unit_area: 1\n"
    "  dimensions: [D1, D2]\n"
    "  sizes: [4, 8]\n";

std::string errors(const std::string& text) {
  return errors_of([&] {
    Diagnostics diagnostics;
    read_accelerator_text(text, "a.yaml", diagnostics);
  });
}

/// The messages on the file, in order.
std::vector<std::string> messages(const Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const Diagnostic& one : diagnostics.all()) texts.push_back(one.message);
  return texts;
}

/// The warning on copies of `small`, whose one memory serves the units along D1 only.
const std::string copies_of_small =
    "memory 'rf', the outermost of I1 and I2 and O, is there 8 times, 64 bits each, as served_dimensions "
    "has no D2";

}  // namespace

TEST_CASE("an accelerator is read field by field") {
  Diagnostics diagnostics;
  const Accelerator accelerator = read_accelerator_text(small, "a.yaml", diagnostics);
  CHECK(messages(diagnostics) == std::vector<std::string>{copies_of_small});
  CHECK(diagnostics.all()[0].severity == Severity::warning);
  CHECK(diagnostics.all()[0].mark.line == 16);
  CHECK(accelerator.name == "small");
  REQUIRE(accelerator.memories.size() == 1);
  const Memory& memory = accelerator.memories[0];
  CHECK(memory.name == "rf");
  CHECK(memory.size == 64);
  CHECK(memory.read_cost == 0.5);
  CHECK(memory.write_cost == 1.0);
  CHECK(memory.served_dimensions == std::vector<std::string>{"D1"});
  REQUIRE(memory.ports.size() == 1);
  CHECK(memory.ports[0] == Port{"r_port_1",
                                PortType::read,
                                8,
                                16,
                                {{"I1", Direction::read_to_low}, {"O", Direction::read_to_high}}});
  CHECK(accelerator.array.dimensions == std::vector<ArrayDimension>{{"D1", 4}, {"D2", 8}});
  CHECK(accelerator.array.unit_energy == 0.5);
  CHECK_FALSE(accelerator.array.imc.has_value());
}

TEST_CASE("mistakes in an accelerator are found at their places") {
  CHECK(errors(with(small, "size: 64", "sise: 64")) == "4:5 unknown key 'sise' in memory 'rf'");
  CHECK(errors(with(small, "    size: 64\n", "")) == "4:5 the key 'size' is missing in memory 'rf'");
  CHECK(errors(with(small, "size: 64", "size: 6.5")) ==
        "4:11 'size' of memory 'rf' must be a whole number, but found the number 6.5");
  CHECK(errors(with(small, "size: 64", "size: -64")) ==
        "4:11 size of memory 'rf' is -64; it must be 1 bit or more");
  CHECK(errors(with(small, "r_cost: 0.5", "r_cost:")) == "4:5 the key 'r_cost' is missing in memory 'rf'");
  CHECK(errors(with(small, "r_cost: 0.5", "r_cost: -1")) ==
        "5:13 r_cost of memory 'rf' is -1; it must be 0 pJ or more");
  CHECK(errors(with(small, "[I1, I2, O]", "[I1, I2, O, X]")) ==
        "9:27 unknown memory operand 'X' in memory 'rf'");
  CHECK(errors(with(small, "[I1, I2, O]", "[I2, O]")) ==
        "15:22 port 'r_port_1' of memory 'rf' carries I1, which memory 'rf' does not hold");
  CHECK(errors(with(small, "name: r_port_1", "name: port")) ==
        "11:15 'port' is not the name of a port, in memory 'rf'");
  CHECK(errors(with(small, "type: read", "type: reed")) ==
        "12:15 unknown type 'reed' of port 'r_port_1' of memory 'rf'");
  CHECK(errors(with(small, "type: read", "type: write")).find("cannot carry 'I1, tl'") !=
        std::string::npos);
  CHECK(errors(with(small, "bandwidth_max: 16", "bandwidth_max: 4")) ==
        "14:24 bandwidth_max of port 'r_port_1' of memory 'rf' is 4, less than bandwidth_min, which is 8");
  CHECK(errors(with(small, "I1, tl", "I1, tx")) ==
        "15:22 unknown direction 'tx' in 'allocation' of port 'r_port_1' of memory 'rf'");
  CHECK(errors(with(small, "served_dimensions: [D1]", "served_dimensions: [D3]")) ==
        "16:25 memory 'rf' serves 'D3', which is no dimension of the operational array");
  CHECK(errors(with(small, "[4, 8]", "[4]")) == "21:10 the operational array has 1 sizes for 2 dimensions");
  CHECK(errors(with(small, "[4, 8]", "[4, 0]")) ==
        "21:14 the size of array dimension D2 is 0; it must be 1 or more");
  CHECK(errors(with(small, "[D1, D2]", "[D1, E2]")) == "20:20 'E2' is not the name of an array dimension");
  CHECK(errors(with(small, "  unit_energy: 0.5\n", "")) ==
        "18:3 the key 'unit_energy' is missing in the operational array");
  CHECK(errors("- 1\n").find("1:1 the accelerator must be a map") == 0);
  CHECK(errors("cores:\n  - a.yaml\n").find("1:1 this file describes an accelerator of several cores") ==
        0);
}

TEST_CASE("ports of one name are one with the rules of ZigZag, and else an error") {
  const std::string text = with(small, "    served_dimensions: [D1]\n",
                                "      - {name: r_port_1, type: write, bandwidth_min: 4, bandwidth_max: 4, "
                                "allocation: [\"I2, fh\"]}\n"
                                "    served_dimensions: [D1]\n");
  CHECK(errors(text).find("'r_port_1'") != std::string::npos);
  Diagnostics found, diagnostics;
  const Accelerator accelerator = read_accelerator(yaml::load_text(text, "a.yaml", found), found,
                                                   diagnostics, rules_of("zigzag-3.8.5"));
  REQUIRE(accelerator.memories[0].ports.size() == 1);
  CHECK(accelerator.memories[0].ports[0].bandwidth_max == 16);
  CHECK(accelerator.memories[0].ports[0].type == PortType::read_write);
  CHECK(accelerator.memories[0].ports[0].allocation.size() == 3);
  CHECK(messages(diagnostics) ==
        std::vector<std::string>{"two ports of memory 'rf' are called 'r_port_1': as in ZigZag they are "
                                 "one port, of 8 to 16 bits per cycle, as the first says",
                                 copies_of_small});
  CHECK_FALSE(diagnostics.has_errors());
}

TEST_CASE("parts of cores of later versions of Stream are read") {
  Diagnostics diagnostics;
  const std::string text =
      "type: zigzag.compute\noperator_types: [Conv]\noperand_precision: {input: bf16}\n" + small;
  const Accelerator accelerator = read_accelerator_text(text, "a.yaml", diagnostics);
  CHECK(accelerator.array.operand_precision ==
        std::vector<OperandPrecision>{{"W", 16}, {"I", 16}, {"O", 32}, {"O_final", 16}});
  CHECK(messages(diagnostics) ==
        std::vector<std::string>{"'operator_types' of the accelerator is not used: the mapping file says "
                                 "which cores may run which layers",
                                 copies_of_small});
  CHECK(errors("type: aie2.compute\n" + small) == "1:7 'type' of the accelerator is 'aie2.compute'");
  CHECK(errors("operand_precision: {input: bf17}\n" + small)
            .find("1:28 'input' of 'operand_precision' of the accelerator is 'bf17'") == 0);
}

TEST_CASE("all mistakes of an accelerator are reported at once, each once") {
  const std::string text =
      with(with(with(small, "size: 64", "size: x"), "bandwidth_max: 16", "bandwidth_max: 4"), "[4, 8]",
           "[4, -8]");
  CHECK(errors(text) ==
        "4:11 'size' of memory 'rf' must be a whole number, but found the text 'x'\n"
        "21:14 the size of array dimension D2 is -8; it must be 1 or more\n"
        "14:24 bandwidth_max of port 'r_port_1' of memory 'rf' is 4, less than bandwidth_min, which is 8");
}

TEST_CASE("the array may have its older name") {
  CHECK(errors(with(small, "operational_array", "multipliers")) == "");
  CHECK(errors(with(with(small, "operational_array", "multipliers"), "[4, 8]", "[4, -8]")) ==
        "21:14 the size of array dimension D2 is -8; it must be 1 or more");
}

TEST_CASE("costs may be left to a stage") {
  const auto read = [](const std::string& text) {
    Diagnostics diagnostics;
    return read_accelerator_text(text, "a.yaml", diagnostics);
  };
  CHECK(open_costs(read(small)).empty());
  CHECK(open_costs(read(with(small, "r_cost: 0.5", "r_cost: auto"))) ==
        std::vector<std::string>{"r_cost of memory 'rf'"});
  CHECK(open_costs(read(with(small, "unit_energy: 0.5", "unit_energy: auto"))) ==
        std::vector<std::string>{"unit_energy of the operational array"});
  // As in ZigZag, costs beside it do not count.
  const std::vector<std::string> all{"r_cost of memory 'rf'", "w_cost of memory 'rf'",
                                     "area of memory 'rf'"};
  CHECK(open_costs(read(with(small, "    r_cost: 0.5\n", "    auto_cost_extraction: true\n"))) == all);

  const std::string without = with(with(small, "    r_cost: 0.5\n", ""), "  unit_energy: 0.5\n", "");
  CHECK(open_costs(read("costs: auto\n" + without)) ==
        std::vector<std::string>{"unit_energy of the operational array", "r_cost of memory 'rf'"});
  CHECK(errors("costs: free\n" + small) ==
        "1:8 'costs' of the accelerator must be auto, but found the text 'free'");
  CHECK(errors(with(small, "r_cost: 0.5", "r_cost: automatic")).find("must be a number") !=
        std::string::npos);
  CHECK(errors(with(small, "r_cost: 0.5", "r_cost: -1")).find("it must be 0 pJ or more") !=
        std::string::npos);
}

TEST_CASE("in-memory computing has fields and rules of its own") {
  const std::string imc = with(with(with(small, "  unit_energy: 0.5\n  unit_area: 1\n",
                                         "  is_imc: true\n  imc_type: digital\n  input_precision: [8, 4]\n "
                                         " bit_serial_precision: 2\n"),
                                    "[I1, I2, O]", "[I2]"),
                               "[\"I1, tl\", \"O, th\"]", "[\"I2, tl\"]");
  CHECK(errors(imc) == "3:3 in-memory computing needs a memory called 'cells', but there is none");
  const std::string good =
      with(with(imc, "  rf:", "  cells:"), "served_dimensions: [D1]", "served_dimensions: []");
  Diagnostics diagnostics;
  const Accelerator accelerator = read_accelerator_text(good, "a.yaml", diagnostics);
  CHECK(accelerator.array.imc == ImcProperties{"digital", 8, 4, 0, 2});
  CHECK(errors(with(good, "bit_serial_precision: 2", "bit_serial_precision: 3")) ==
        "21:25 bit_serial_precision is 3; it must be a power of two");
  CHECK(errors(with(good, "bit_serial_precision: 2", "bit_serial_precision: 16")) ==
        "21:25 bit_serial_precision is 16, more than the activation precision, which is 8");
  CHECK(errors(with(good, "bit_serial_precision: 2", "bit_serial_precision: 0.5")) ==
        "21:25 bit_serial_precision is 0.5; it must be a power of two");
  CHECK(errors(with(good, "[4, 8]", "[4, 6]")) ==
        "23:14 the size of D2, the bitline dimension of a digital in-memory-computing array, is 6; it must "
        "be "
        "a power of two");
  CHECK(errors(with(with(good, "[4, 8]", "[4]"), "[D1, D2]", "[D1]")) ==
        "22:15 an in-memory-computing array needs two dimensions or more, but there is one");
  CHECK(errors(with(with(good, "imc_type: digital", "imc_type: analog\n  adc_resolution: 6"), "[4, 8]",
                    "[4, 6]")) == "");
  CHECK(errors(with(small, "unit_area: 1", "unit_area: 1\n  imc_type: analog")) ==
        "20:13 'imc_type' belongs to in-memory computing, but is_imc is not true");
}

TEST_CASE("the memory format before 3.8.2 is converted") {
  const std::string text =
      "name: old\n"
      "memories:\n"
      "  rf: {size: 64, r_bw: 8, w_bw: 16, r_cost: 1, w_cost: 1, area: 0, latency: 1, r_port: 1, w_port: "
      "1,\n"
      "       rw_port: 0, min_r_granularity: 4, operands: [I1, O], served_dimensions: [D1],\n"
      "       ports: [{fh: w_port_1, tl: r_port_1}, {fl: w_port_1, th: r_port_1}]}\n"
      "operational_array: {multiplier_energy: 0.5, multiplier_area: 1, dimensions: [D1], sizes: [4]}\n";
  Diagnostics diagnostics;
  const Accelerator accelerator = read_accelerator_text(text, "a.yaml", diagnostics);
  CHECK(diagnostics.all().empty());
  CHECK(accelerator.array.unit_energy == 0.5);
  CHECK(accelerator.memories[0].ports ==
        std::vector<Port>{{"r_port_1",
                           PortType::read,
                           4,
                           8,
                           {{"I1", Direction::read_to_low}, {"O", Direction::read_to_high}}},
                          {"w_port_1",
                           PortType::write,
                           16,
                           16,
                           {{"I1", Direction::write_from_high}, {"O", Direction::write_from_low}}}});
  CHECK(errors(with(text, "fl: w_port_1", "fl: w_port_2")) ==
        "5:51 the ports of O in memory 'rf' name the port 'w_port_2', which is not among those counted by "
        "r_port, "
        "w_port and rw_port");
}

TEST_CASE(
    "in the format before 3.8.2 a port for both directions has the smaller bandwidth, with a warning") {
  const std::string text =
      "name: old\n"
      "memories:\n"
      "  rf: {size: 64, r_bw: 8, w_bw: 16, r_cost: 1, w_cost: 1, area: 0, latency: 1, r_port: 0, w_port: "
      "0,\n"
      "       rw_port: 1, min_r_granularity: 4, operands: [I1], served_dimensions: [D1],\n"
      "       ports: [{fh: rw_port_1, tl: rw_port_1}]}\n"
      "operational_array: {multiplier_energy: 0.5, multiplier_area: 1, dimensions: [D1], sizes: [4]}\n";
  Diagnostics diagnostics;
  const Accelerator accelerator = read_accelerator_text(text, "a.yaml", diagnostics);
  CHECK(accelerator.memories[0].ports[0].bandwidth_min == 4);
  CHECK(accelerator.memories[0].ports[0].bandwidth_max == 8);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].message.find("the smaller one counts for both") != std::string::npos);
}

TEST_CASE("in the format before 3.8.2 transfers may be padded to more than the bandwidth, with a warning") {
  const std::string text =
      "name: old\n"
      "memories:\n"
      "  rf: {size: 64, r_bw: 8, w_bw: 16, r_cost: 1, w_cost: 1, area: 0, latency: 1, r_port: 1, w_port: "
      "1,\n"
      "       rw_port: 0, min_r_granularity: 20, operands: [I1], served_dimensions: [D1],\n"
      "       ports: [{fh: w_port_1, tl: r_port_1}]}\n"
      "operational_array: {multiplier_energy: 0.5, multiplier_area: 1, dimensions: [D1], sizes: [4]}\n";
  Diagnostics diagnostics;
  const Accelerator accelerator = read_accelerator_text(text, "a.yaml", diagnostics);
  CHECK(accelerator.memories[0].ports[0].bandwidth_min == 20);
  CHECK(accelerator.memories[0].ports[0].bandwidth_max == 8);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].mark.line == 4);
  CHECK(diagnostics.all()[0].message ==
        "'min_r_granularity' of memory 'rf' is 20, more than r_bw, which is 8; transfers are padded to "
        "multiples of 20 bits and cost 2.5 accesses or more");
  CHECK(errors(with(text, "r_bw: 8", "r_bw: 0")).find("bandwidth_max of port 'r_port_1'") !=
        std::string::npos);
}

TEST_CASE("a derived accelerator is validated without a file") {
  Diagnostics diagnostics;
  Accelerator accelerator = read_accelerator_text(small, "a.yaml", diagnostics);
  CHECK_NOTHROW(accelerator.validate());
  accelerator.memories[0].size = 0;
  accelerator.array.dimensions[0].size = -1;
  CHECK(errors_of([&] { accelerator.validate(); }) ==
        "0:0 accelerator 'small': the size of array dimension D1 is -1; it must be 0 or more\n"
        "0:0 accelerator 'small': size of memory 'rf' is 0; it must be 1 bit or more");
}

TEST_CASE("an array may say the bits of its numbers") {
  Diagnostics diagnostics;
  CHECK(read_accelerator_text(small, "a.yaml", diagnostics).array.operand_precision.empty());
  const auto precision = [](const std::string& text) {
    return small + "  operand_precision: " + text + "\n";
  };
  const Accelerator told =
      read_accelerator_text(precision("{W: 4, I: 8, O: 24, O_final: 8}"), "a.yaml", diagnostics);
  CHECK(told.array.operand_precision ==
        std::vector<OperandPrecision>{{"W", 4}, {"I", 8}, {"O", 24}, {"O_final", 8}});
  CHECK(errors(precision("{W: 0}"))
            .find("operand_precision gives 0 bits to W; units work on 1 to 4096 bits") !=
        std::string::npos);
  CHECK(errors(precision("{W: 7.5}")).find("an element has whole bits") != std::string::npos);
  CHECK(errors(precision("{O_finl: 8}")).find("unknown operand 'O_finl'") != std::string::npos);
}
