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

TEST_CASE("other memories have another hierarchy, and the first one stays known") {
  const Accelerator first = two_levels();
  const auto known = hierarchy_of(first);
  Accelerator other = first;
  other.memories[0].operands = {"O"};
  CHECK(hierarchy_of(other) != known);
  CHECK(hierarchy_of(other)->operands.front() == "O");
  CHECK(hierarchy_of(first) == known);
}
