#include "core/calibration/calibrated_file.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"

using namespace zz::core;

namespace {

std::string machine(const std::string& ports) {
  return "# of a bench\nname: small\nmemories:\n  dram:  # far away\n    size: 1000000\n    r_cost: 1\n    "
         "w_cost: 1\n"
         "    area: 0\n    latency: 1\n    operands: [I1, I2, O]\n" +
         ports +
         "    served_dimensions: [D1]\n"
         "operational_array:\n  unit_energy: 1\n  unit_area: 1\n  dimensions: [D1]\n  sizes: [4]\n";
}

const std::string all =
    "[\"I1, fh\", \"I1, tl\", \"I2, fh\", \"I2, tl\", \"O, fh\", \"O, tl\", \"O, fl\", \"O, th\"]";
const std::string in_flow =
    "    ports:\n      - {name: rw_port_1, type: read_write, bandwidth_min: 8, bandwidth_max: 8, "
    "allocation: " +
    all + "}\n";
const std::string in_block =
    "    ports:\n      - name: rw_port_1\n        type: read_write\n        bandwidth_min: 8\n"
    "        bandwidth_max: 8  # a byte\n        allocation: " +
    all + "\n";

Accelerator read(const std::string& text) {
  Diagnostics none;
  return read_accelerator_text(text, "machine.yaml", none);
}

std::vector<FittedConstant> constants(const Accelerator& accelerator,
                                      const std::vector<std::string>& names) {
  std::vector<FittedConstant> made;
  double value = 0.5;
  for (const FittedKey& key : find_fitted_keys(accelerator, names))
    made.push_back({key, 1, value += 0.0625});
  return made;
}

}  // namespace

TEST_CASE("calibrated file: constants stand where they belong, and all else stays") {
  for (const std::string& ports : {in_flow, in_block}) {
    const std::string text = machine(ports);
    const auto wanted =
        constants(read(text), {"operational_array.efficiency", "memories.dram.ports.rw_port_1.efficiency",
                               "memories.dram.overlap", "memories.dram.tile_interval"});
    const std::string edited = with_constants(text, "machine.yaml", wanted);
    const Accelerator made = read(edited);
    CHECK(made.array.efficiency == 0.5625);
    CHECK(made.memories[0].ports[0].efficiency == 0.625);
    CHECK(made.memories[0].ports[0].overlap == 0.6875);
    CHECK(made.memories[0].tile_interval == 0.75);
    for (const char* comment : {"# of a bench\n", "dram:  # far away\n"})
      CHECK(edited.find(comment) != std::string::npos);
    // Those that are there are replaced.
    const auto other = constants(made, {"memories[dram].ports[rw_port_1].efficiency"});
    const std::string again = with_constants(edited, "machine.yaml", other);
    CHECK(read(again).memories[0].ports[0].efficiency == 0.5625);
    CHECK(again.size() == edited.size() + 1);
  }
}

TEST_CASE("calibrated file: what has no place of its own is told") {
  const std::string twice =
      machine(in_flow).replace(machine(in_flow).find("    ports:"), 10, "    ports: &shared");
  const std::string aliased =
      twice.substr(0, twice.find("operational_array:")) +
      "  far:\n    size: 2000000\n    r_cost: 1\n    w_cost: 1\n    area: 0\n    latency: 1\n"
      "    operands: [I1, I2, O]\n    ports: *shared\n    served_dimensions: [D1]\n" +
      twice.substr(twice.find("operational_array:"));
  const auto wanted = constants(read(aliased), {"memories.far.efficiency"});
  CHECK_THROWS_WITH_AS(with_constants(aliased, "machine.yaml", wanted),
                       doctest::Contains("what an alias (*) repeats"), InputError);
}

TEST_CASE("fitted keys: by default those of the array and of the topmost memories") {
  const Accelerator accelerator = read(machine(in_flow));
  std::vector<std::string> names;
  for (const FittedKey& key : find_fitted_keys(accelerator, {})) names.push_back(key.name);
  CHECK(names == std::vector<std::string>{"operational_array.efficiency", "memories.dram.efficiency"});
}
