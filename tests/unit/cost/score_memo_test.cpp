#include "core/cost/score_memo.hpp"

#include <array>
#include <doctest/doctest.h>

using namespace zz::core;

TEST_CASE("score memo: a key that was there gives its score, also while the memo grows and starts afresh") {
  ScoreMemo memo;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const std::array<std::uint64_t, 3> key{i / 2, 7, i / 2 % 5};
    bool is_new = false;
    Score& score = memo.at(key, is_new);
    CHECK(is_new == (i % 2 == 0));
    if (is_new) score.energy_total = static_cast<double>(i);
    CHECK(score.energy_total == static_cast<double>(i - i % 2));
  }
}
