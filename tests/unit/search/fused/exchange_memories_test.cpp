#include "core/search/fused/exchange_memories.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/base/diagnostics.hpp"
#include "core/hardware/exchange_port.hpp"
#include "tests/unit/output/archive/archive_fixture.hpp"
#include "tests/unit/worlds/evaluations.hpp"

using namespace zz::core;

TEST_CASE("exchange memories: a result of a group can be kept and read again") {
  Evaluation evaluation = *zz::test::evaluation();
  evaluation.accelerator =
      std::make_shared<const Accelerator>(exchanging(*evaluation.accelerator, 0, {"O", "I1"}));
  CHECK_NOTHROW(evaluation.accelerator->validate());
  const zz::test::TemporaryArchive file("exchange");
  zz::test::write_archive(file.path(),
                          {{Value::object(std::make_shared<const Evaluation>(evaluation)), Value()}});
  CHECK(zz::test::read_archive(file.path()).size() == 1);
}

TEST_CASE("exchange memories: no other port has a name, or a width, of its own") {
  Accelerator named = *zz::test::accelerator();
  named.memories[0].ports[0].name = exchange_port_name;
  CHECK_THROWS_AS(named.validate(), InputError);
  Accelerator wide = *zz::test::accelerator();
  wide.memories[0].ports[0].bandwidth_max = exchange_port_width;
  CHECK_THROWS_AS(wide.validate(), InputError);
}
