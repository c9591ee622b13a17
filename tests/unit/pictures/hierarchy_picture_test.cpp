#include "plugins/pictures/hierarchy_picture.hpp"

#include <doctest/doctest.h>

#include "plugins/pictures/labels.hpp"

using namespace zz::core;
using namespace zz::plugins;

namespace {

Accelerator with_memories(const std::vector<std::vector<std::string>>& operands) {
  Accelerator accelerator;
  for (const auto& held : operands) {
    Memory memory;
    memory.name = "m" + std::to_string(accelerator.memories.size());
    memory.operands = held;
    memory.ports = {{"p", PortType::read_write, 8, 32, {{held[0], Direction::read_to_low}}}};
    accelerator.memories.push_back(memory);
  }
  return accelerator;
}

void check_no_overlap(const HierarchyPicture& picture) {
  for (const MemoryBox& a : picture.boxes)
    for (const MemoryBox& b : picture.boxes)
      if (a.memory != b.memory && a.row == b.row)
        CHECK((a.last_column < b.first_column || b.last_column < a.first_column));
}

}  // namespace

TEST_CASE("operands are ordered so that shared memories are undivided") {
  const HierarchyPicture picture =
      hierarchy_picture(with_memories({{"O"}, {"I2"}, {"I2", "O"}, {"I1", "I2", "O"}}));
  CHECK(picture.columns.front() == "I1");
  for (const MemoryBox& box : picture.boxes)
    if (box.memory == 2) CHECK(box.last_column - box.first_column == 1);
  CHECK(picture.rows == 4);
  check_no_overlap(picture);
}

TEST_CASE("memories do not overlap even where no order of the operands suits all") {
  check_no_overlap(hierarchy_picture(
      with_memories({{"I1"}, {"I2"}, {"O"}, {"I1", "O"}, {"I1", "I2"}, {"I2", "O"}, {"I1", "I2", "O"}})));
}

TEST_CASE("wires lead from the array upwards with the bandwidth of the upper memory") {
  const HierarchyPicture picture = hierarchy_picture(with_memories({{"I1"}, {"I1"}}));
  REQUIRE(picture.wires.size() == 2);
  CHECK(picture.wires[0].lower_row == 0);
  CHECK(picture.wires[1].lower_row == 1);
  CHECK(picture.wires[1].upper_row == 2);
  CHECK(picture.wires[1].bits_down == 32);
  CHECK(picture.wires[1].bits_up == 0);
}

TEST_CASE("sizes are written for people") {
  CHECK(size_text(1) == "1 bit");
  CHECK(size_text(64) == "8 B");
  CHECK(size_text(65536) == "8 KiB");
  CHECK(size_text(8 * 1010LL * 1024) == "1010 KiB");
  CHECK(size_text(10000000000) == "1.16 GiB");
}
