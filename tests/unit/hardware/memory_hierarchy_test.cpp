#include "core/hardware/memory_hierarchy.hpp"

#include <doctest/doctest.h>

#include "tests/unit/worlds/accelerators.hpp"

using namespace zz::core;
using zz::test::accelerator_with, zz::test::memory;

namespace {

Accelerator two_levels() {
  return accelerator_with("", {}, {memory("register", 0, {"I1", "O"}), memory("dram", 0, {"I1", "O"})});
}

}  // namespace

TEST_CASE("an accelerator makes its memory hierarchy once") {
  const Accelerator first = two_levels();
  CHECK(&first.hierarchy() == &first.hierarchy());
  CHECK(first.hierarchy().levels == MemoryHierarchy(first).levels);
}

TEST_CASE("a copy of an accelerator has a memory hierarchy of its own") {
  const Accelerator first = two_levels();
  CHECK(first.hierarchy().operands.front() == "I1");
  Accelerator other = first;
  CHECK(other == first);
  other.memories[0].operands = {"O"};
  CHECK(other.hierarchy().operands.front() == "O");
  Accelerator assigned = two_levels();
  CHECK(assigned.hierarchy().operands.front() == "I1");
  assigned = other;
  CHECK(assigned.hierarchy().operands.front() == "O");
  assigned = first;
  assigned.memories[1].ports = {};
  assigned.memories[1].ports.push_back({.name = "out", .allocation = {{"O", Direction::read_to_low}}});
  CHECK(assigned.hierarchy().ports[1].size() == 1);
  CHECK(first.hierarchy().ports[1].size() != 1);
}
