#include <doctest/doctest.h>
#include <memory>

#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "core/value/tree.hpp"

using namespace zz::core;

TEST_CASE("figures of in-memory computing are read like any others") {
  Evaluation evaluation;
  evaluation.imc = ImcFigures{{0, 2, 3}, {0, 0, 0.5, 0.25}, {4}, {{"cells", 0.5}}};
  const Value value = Value::object(std::make_shared<const Evaluation>(evaluation));
  const auto number = [&](const char* path) {
    double figure = -1;
    CHECK(read_f64(part(value.ref(), intern(path)), figure));
    return figure;
  };
  CHECK(number("tclk") == 0.75);
  CHECK(number("area_total") == 4.5);
  CHECK(number("imc.mac_energy_breakdown.dacs") == 2);
  CHECK(number("imc.mac_energy_breakdown.total") == 5);
  CHECK(number("imc.tclk_breakdown.adcs") == 0.5);
  CHECK(number("imc.imc_area") == 4);
  CHECK(number("imc.mem_area_breakdown.cells") == 0.5);

  const Value plain = Value::object(std::make_shared<const Evaluation>());
  CHECK(kind_of(part(plain.ref(), intern("tclk"))) == Kind::null);
  CHECK(kind_of(part(plain.ref(), intern("imc"))) == Kind::null);
}
