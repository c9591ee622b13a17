#include "host/report/accuracy.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/worlds/accelerators.hpp"

using namespace zz;

namespace {

host::MachineKind machine(std::int64_t units, const std::string& kept, std::int64_t bits = 8) {
  host::MachineKind made;
  made.array = "multipliers";
  made.kept = kept;
  made.least_units = made.most_units = units;
  made.bits = bits;
  made.memories = 3;
  return made;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("accuracy: the nearest sets are of the same kind of array, and what differs is told") {
  const std::vector<host::NearSet> near = host::nearest_sets(machine(256, "I2"));
  REQUIRE(near.size() == 3);
  CHECK(near[0].set.name == "firesim_gemmini/test");
  CHECK(near[0].differs == "instruction, line, overlap, request, shared_tiles, tile_interval in the file");
  const std::vector<host::NearSet> row_stationary = host::nearest_sets(machine(168, "I1 I2 O", 16));
  CHECK(says(row_stationary[0].set.name, "eyeriss"));
  const std::vector<host::NearSet> larger = host::nearest_sets(machine(65536, "I2"));
  CHECK(says(larger[0].differs, "units for 65536"));
}

TEST_CASE("accuracy: machines with keys of what takes time are told apart") {
  host::MachineKind gemmini = machine(256, "I2");
  gemmini.keys = "instruction line overlap request shared_tiles tile_interval";
  CHECK(host::nearest_sets(gemmini)[0].set.name == "firesim_gemmini/test");
  CHECK(host::nearest_sets(gemmini)[0].differs.empty());
  host::MachineKind systolic = machine(1024, "I2");
  systolic.memories = 2;
  CHECK_FALSE(host::nearest_sets(systolic)[0].differs.empty());
  systolic.keys = "fold";
  CHECK(says(host::nearest_sets(systolic)[0].set.name, "scalesim"));
  CHECK(host::nearest_sets(systolic)[0].differs.empty());
  host::MachineKind eyeriss = machine(168, "I1 I2 O", 16);
  eyeriss.keys = "overlap";
  CHECK(says(host::nearest_sets(eyeriss)[0].differs, "a file without keys"));
}

TEST_CASE("accuracy: a kind of array that nothing is published of has no near set") {
  host::MachineKind other = machine(256, "I2");
  other.array = "quantum";
  CHECK(host::nearest_sets(other).empty());
  CHECK(says(host::accuracy_text({}), "nothing published"));
  CHECK(host::accuracy_json({}).empty());
}

TEST_CASE("accuracy: a machine is told by its array and its memories") {
  core::Evaluation evaluation;
  evaluation.accelerator = std::make_shared<const core::Accelerator>(test::small_accelerator(8, 1024, 8));
  const host::MachineKind found = host::machine_of(evaluation);
  CHECK(found.array == "multipliers");
  CHECK(found.most_units == 4);
  CHECK(found.kept == "I2");
  CHECK(found.memories == 3);
  CHECK(found.keys.empty());
  core::Accelerator with_keys = test::small_accelerator(8, 1024, 8);
  with_keys.array.fold.emplace();
  with_keys.memories.back().ports[0].overlap = 0.5;
  evaluation.accelerator = std::make_shared<const core::Accelerator>(with_keys);
  CHECK(host::machine_of(evaluation).keys == "fold overlap");
}
