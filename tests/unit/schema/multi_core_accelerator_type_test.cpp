#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "core/hardware/interconnect.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"
#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

Value two_cores() {
  MultiCoreAccelerator accelerator;
  accelerator.name = "two";
  accelerator.cores = {core_of(core_text("a")), core_of(core_text("b")), core_of(dram_text(one_port))};
  accelerator.offchip_core = 2;
  join_mesh(accelerator, 1, 2, {32, 0.5});
  accelerator.derive();
  return Value::object(std::make_shared<const MultiCoreAccelerator>(std::move(accelerator)));
}

Value changed(const Value& base, std::string_view path, Value value) {
  const std::vector<Edit> edits = {{intern(path), std::move(value)}};
  return with(base, edits);
}

}  // namespace

TEST_CASE("what follows from an accelerator of several cores follows a change of it") {
  const Value before = two_cores();
  const Value after = changed(before, "cores[0].memories[buffer].size", Value::integer(4096));
  CHECK(before.as<MultiCoreAccelerator>()->top_memories[0].size == 1024);
  CHECK(after.as<MultiCoreAccelerator>()->top_memories[0].size == 4096);
  const Value larger = changed(after, "cores[2].memories[dram].size", Value::integer(5000000));
  CHECK(larger.as<MultiCoreAccelerator>()->top_memories[2].size == 5000000);
  const Value shared = changed(before, "shared_memories",
                               Value::list({Value::list({Value::integer(0), Value::integer(1)})}));
  CHECK(shared.as<MultiCoreAccelerator>()->top_memories.size() == 2);
}

TEST_CASE("an accelerator of several cores is checked after a change") {
  CHECK_THROWS_AS(changed(two_cores(), "links[0].bandwidth", Value::integer(0)), InputError);
  CHECK_THROWS_AS(changed(two_cores(), "offchip_core", Value::integer(3)), InputError);
  CHECK_THROWS_AS(changed(two_cores(), "top_memories", Value::list({})), ValueError);
}
