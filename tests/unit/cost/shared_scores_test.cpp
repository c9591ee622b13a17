// Orders of one cost structure are scored once, and get the figures that each would get for itself.
#include "core/cost/shared_scores.hpp"

#include <doctest/doctest.h>
#include <memory>

#include "core/cost/cost_model.hpp"
#include "core/cost/key_numbers.hpp"
#include "core/search/loma/loma.hpp"
#include "tests/unit/cost/same_bits.hpp"
#include "tests/unit/cost/unrolled_problems.hpp"

using namespace zz::core;
using namespace zz::test;

TEST_CASE("shared scores: one evaluation for orders of one cost structure") {
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
                            {.same_data_free = !zigzag, .zigzag_compat = zigzag});
      const auto links = model.link_tables(batch.lattice);
      if (!links->usable()) continue;
      const auto shared = model.shared_scores(batch.lattice);
      for (const CompactMapping& row : batch.rows) {
        const Score alone = model.score(row, *links);
        const Score together = model.score(row, *shared);
        REQUIRE(same_bits(alone.energy_total, together.energy_total));
        REQUIRE(same_bits(alone.latency_total2, together.latency_total2));
        REQUIRE(same_bits(alone.latency_total0, together.latency_total0));
      }
      orders += static_cast<std::int64_t>(batch.rows.size());
      computed += shared->computed();
      const std::int64_t before = shared->computed();
      for (std::size_t row = 0; row < batch.rows.size(); row += 7) model.score(batch.rows[row], *shared);
      REQUIRE(shared->computed() == before);
    }
  }
  MESSAGE(orders << " orders, " << computed << " evaluations");
  CHECK(orders > 10000);
  CHECK(computed < orders / 2);
}

TEST_CASE("shared scores: what is above the limit need not be known, and what is not stays exact") {
  const UnrolledProblem at = unrolled_problems().front();
  Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = 6});
  CompactMappings batch;
  search.next(batch, 100000);
  const CostModel model(at.accelerator, at.layer, at.fractional, at.integral, {});
  const auto all = model.shared_scores(batch.lattice);
  double least = ScoreLimit::none;
  for (const CompactMapping& row : batch.rows) least = std::min(least, model.score(row, *all).energy_total);
  const auto limited = model.shared_scores(batch.lattice);
  int worse = 0;
  for (const CompactMapping& row : batch.rows) {
    const LoopPath path(limited->links().kinds(), row);
    const auto score = limited->score(path, row, {.energy = least});
    REQUIRE(score.has_value());
    const double energy = model.score(row, *all).energy_total;
    CHECK((score->energy_total == energy) == (energy == least));
    worse += score->energy_total == ScoreLimit::none ? 1 : 0;
  }
  CHECK(worse > 0);
}

TEST_CASE("key numbers: equal keys have one number, a part of a key another") {
  KeyNumbers numbers;
  const std::vector<std::uint32_t> key{1, 2, 3};
  CHECK(numbers.number_of(key) == 0);
  CHECK(numbers.number_of({key.data(), 2}) == 1);
  CHECK(numbers.number_of(key) == 0);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::vector<std::uint32_t> other{i, 7};
    CHECK(numbers.number_of(other) == i + 2);
  }
  CHECK(numbers.number_of({key.data(), 2}) == 1);
  CHECK(numbers.size() == 1002);
  numbers.clear();
  CHECK(numbers.number_of({key.data(), 2}) == 0);
}
