#include <doctest/doctest.h>

#include "core/hardware/memory_hierarchy.hpp"

using namespace zz::core;

namespace {

Accelerator two_levels() {
  Accelerator accelerator;
  for (const char* name : {"register", "dram"}) {
    Memory memory;
    memory.name = name;
    memory.operands = {"I1", "O"};
    accelerator.memories.push_back(memory);
  }
  return accelerator;
}

}  // namespace

TEST_CASE("a memory hierarchy is made once for equal memories") {
  const Accelerator first = two_levels();
  Accelerator renamed = first;
  renamed.name = "another";
  const auto known = hierarchy_of(first);
  CHECK(hierarchy_of(renamed) == known);
  CHECK(known->levels == MemoryHierarchy(first).levels);
}

TEST_CASE("a memory hierarchy follows from what memories hold and what their ports serve, not from sizes") {
  const Accelerator first = two_levels();
  const auto known = hierarchy_of(first);
  Accelerator larger = first;
  larger.memories[1].size = 1 << 20;
  CHECK(hierarchy_of(larger) == known);
  Accelerator with_port = first;
  with_port.memories[1].ports.push_back({.name = "out", .allocation = {{"O", Direction::read_to_low}}});
  CHECK(hierarchy_of(with_port) != known);
  CHECK(hierarchy_of(with_port)->ports[1].size() == 1);
  Accelerator other_way = with_port;
  other_way.memories[1].ports[0].allocation[0].direction = Direction::write_from_low;
  CHECK(hierarchy_of(other_way) != hierarchy_of(with_port));
}

TEST_CASE("other memories have another hierarchy, and the first one stays known") {
  const Accelerator first = two_levels();
  const auto known = hierarchy_of(first);
  Accelerator other = first;
  other.memories[0].operands = {"O"};
  CHECK(hierarchy_of(other) != known);
  CHECK(hierarchy_of(other)->operands.front() == "O");
  CHECK(hierarchy_of(first) == known);
}
