// The table remembers what the cost model computes for each order, bit for bit: on whole and
// fractional unrollings, with and without room, for every option of the cost model.
#include "core/cost/boundary_table.hpp"

#include <doctest/doctest.h>

#include "core/search/loma/loma.hpp"
#include "tests/unit/cost/same_bits.hpp"
#include "tests/unit/worlds/problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

void require_same(const Score& a, const Score& b) {
  REQUIRE(same_bits(a.energy_total, b.energy_total));
  REQUIRE(same_bits(a.latency_total2, b.latency_total2));
  REQUIRE(same_bits(a.latency_total0, b.latency_total0));
}

}  // namespace

TEST_CASE("boundary table: scores are those of the whole cost model, bit for bit") {
  std::size_t compared = 0;
  for (const UnrolledProblem& at : unrolled_problems()) {
    CAPTURE(at.name);
    for (const MappingType type : {MappingType::uneven, MappingType::even}) {
      Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = daily(2, 6), .type = type});
      CompactMappings batch;
      search.next(batch, 100000);
      REQUIRE(batch.lattice != nullptr);
      for (int options = 0; options < 8; ++options) {
        Rules rules = rules_of((options & 4) != 0 ? "zigzag-3.8.5" : "");
        rules.loading_on_top = (options & 2) == 0;
        const CostModel model(at.accelerator, at.layer, at.fractional, at.integral,
                              {.same_data_free = (options & 1) != 0, .rules = rules});
        BoundaryTable table(model, batch.lattice);
        for (std::size_t row = 0; row < batch.rows.size(); row += daily(5, 1)) {
          require_same(model.score(batch.rows[row]), table.evaluate(batch.rows[row]));
          ++compared;
        }
      }
    }
  }
  CHECK(compared > daily(1000UL, 50000UL));
}

TEST_CASE("boundary table: orders that must cost the same are computed once") {
  std::int64_t orders = 0, computed = 0;
  for (const UnrolledProblem& at : unrolled_problems()) {
    CAPTURE(at.name);
    // With seven factors there are orders with equal cuts whose runs at the upper end of a level differ.
    Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = 7});
    CompactMappings batch;
    search.next(batch, 100000);
    REQUIRE(batch.lattice != nullptr);
    for (const bool zigzag : {false, true}) {
      const CostModel model(at.accelerator, at.layer, at.fractional, at.integral,
                            {.same_data_free = !zigzag, .rules = rules_of(zigzag ? "zigzag-3.8.5" : "")});
      BoundaryTable alone(model, batch.lattice), together(model, batch.lattice);
      for (const CompactMapping& row : batch.rows) require_same(alone.evaluate(row), together.score(row));
      orders += static_cast<std::int64_t>(batch.rows.size());
      computed += together.computed();
    }
  }
  MESSAGE(orders << " orders, " << computed << " evaluations");
  CHECK(orders > 10000);
  // Where windows slide by fractions, little is remembered.
  CHECK(computed < orders * 3 / 5);
}
