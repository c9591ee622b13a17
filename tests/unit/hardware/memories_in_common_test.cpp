#include "core/hardware/memories_in_common.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/hardware/further_keys.hpp"
#include "tests/unit/worlds/accelerators.hpp"

namespace zz {
namespace {

const std::vector<std::string> all = {"I1", "I2", "O"};

core::Accelerator array() {
  return test::accelerator_with("array", {4},
                                {test::one_port_memory("register", 64, {"O"}, {}, 8, 8),
                                 test::one_port_memory("buffer", 4096, all, {"D1"}, 8, 8),
                                 test::one_port_memory("dram", 65536, all, {"D1"}, 8, 8)});
}
core::Accelerator unit() {
  return test::accelerator_with("unit", {2},
                                {test::one_port_memory("lanes", 4096, all, {"D1"}, 8, 8),
                                 test::one_port_memory("dram", 65536, all, {"D1"}, 8, 8)});
}

/// The problem of the pair after a change of it; "": none.
std::string wrong(const std::function<void(core::Accelerator&, core::Accelerator&)>& change) {
  core::Accelerator one = array(), other = unit();
  change(one, other);
  try {
    core::memories_in_common(one, other);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("memories in common: one side may name the other's, or both") {
  core::Accelerator one = array(), other = unit();
  CHECK(core::memories_in_common(one, other) == std::vector<int>{-1, -1, -1});
  CHECK(core::first_further_key(one).empty());
  one.memories[1].shared_with = "lanes";
  CHECK(core::memories_in_common(one, other) == std::vector<int>{-1, 0, -1});
  CHECK(core::first_further_key(one) == "shared_with of memory 'buffer'");
  other.memories[0].shared_with = "buffer";
  CHECK(core::memories_in_common(one, other) == std::vector<int>{-1, 0, -1});
  one.memories[1].shared_with.clear();
  other.memories[1].shared_with = "dram";
  CHECK(core::memories_in_common(one, other) == std::vector<int>{-1, 0, 1});
}

TEST_CASE("memories in common: what cannot be one memory is told") {
  using core::Accelerator;
  CHECK(wrong([](Accelerator& one, Accelerator&) { one.memories[1].shared_with = "lane"; }) ==
        "memory 'buffer' of 'array' is shared_with 'lane', which 'unit' lacks; did you mean 'lanes'?");
  CHECK(wrong([](Accelerator&, Accelerator& other) { other.memories[0].shared_with = "bufer"; }) ==
        "memory 'lanes' of 'unit' is shared_with 'bufer', which 'array' lacks; did you mean 'buffer'?");
  CHECK(wrong([](Accelerator& one, Accelerator& other) {
          one.memories[1].shared_with = "lanes";
          other.memories[0].size = 2048;
        }) ==
        "memory 'buffer' of 'array' and memory 'lanes' of 'unit' are one (shared_with), but have 4096 and "
        "2048 bits");
  CHECK(wrong([](Accelerator& one, Accelerator& other) {
          other.memories[0].size = 64;
          one.memories[0].shared_with = "lanes";
        }).ends_with("but 'array' has 'register' 4 times"));
  CHECK(wrong([](Accelerator& one, Accelerator& other) {
          other.memories[1].size = 4096;
          one.memories[1].shared_with = "dram";
        }).ends_with("but only 'unit' has it as its topmost one"));
  CHECK(wrong([](Accelerator& one, Accelerator& other) {
          one.memories[1].shared_with = "lanes";
          other.memories[1].shared_with = "buffer";
        }).ends_with("but one of them is shared with another one already"));
}

}  // namespace zz
