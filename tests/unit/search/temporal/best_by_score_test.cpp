// The search gives what evaluating every order and keeping the best gives: the same orders, ties included.
#include "core/search/temporal/best_by_score.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "core/search/loma/loma.hpp"
#include "tests/unit/worlds/problems.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

using Figures = std::vector<double>;

Figures figures_of(const Score& score, const std::vector<Objective>& metrics) {
  Figures figures;
  for (const Objective metric : metrics) figures.push_back(value_of(metric, score));
  return figures;
}

/// The best rows in order of enumeration; of equally good ones the first.
std::vector<CompactMapping> best_of(const std::vector<CompactMapping>& rows,
                                    const std::vector<Score>& scores, const std::vector<Objective>& metrics,
                                    std::size_t keep) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return figures_of(scores[a], metrics) < figures_of(scores[b], metrics);
  });
  order.resize(std::min(keep, order.size()));
  std::sort(order.begin(), order.end());
  std::vector<CompactMapping> best;
  for (const std::size_t row : order) best.push_back(rows[row]);
  return best;
}

const std::vector<std::vector<Objective>> questions = {{Objective::energy, Objective::latency},
                                                       {Objective::latency, Objective::energy},
                                                       {Objective::edp},
                                                       {Objective::energy}};

}  // namespace

TEST_CASE("best loop orders: those that evaluating all of them would keep") {
  int compared = 0, not_all_fit = 0;
  for (const UnrolledProblem& at : unrolled_problems()) {
    CAPTURE(at.name);
    for (int factors = 2; factors <= daily(3, 6); factors += daily(1, 2)) {
      const LomaOptions space{.factor_limit = factors};
      Loma all(at.layer, at.accelerator, at.fractional, space);
      CompactMappings batch;
      all.next(batch, 1000000);
      not_all_fit += all.orders_rejected() > 0 ? 1 : 0;
      const CostModel model(at.accelerator, at.layer, at.fractional, at.integral, {});
      std::vector<Score> scores;
      for (const CompactMapping& row : batch.rows) scores.push_back(model.score(row));
      for (const auto& metrics : questions) {
        for (const std::size_t keep : {1, 4}) {
          Loma search(at.layer, at.accelerator, at.fractional, space);
          const auto found = best_loop_orders(search, model, metrics, keep, [] { return true; });
          CHECK(search.orders_visited() == all.orders_visited());
          const auto expected = best_of(batch.rows, scores, metrics, keep);
          REQUIRE(found.size() == expected.size());
          for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(found[i] == batch.mapping(expected[i]));
          ++compared;
        }
      }
    }
  }
  CHECK(compared > 100);
  CHECK(not_all_fit > 5);
}

TEST_CASE("best loop orders: a search that is stopped asks for no more orders") {
  const UnrolledProblem at = unrolled_problems().back();
  Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = 8});
  const CostModel model(at.accelerator, at.layer, at.fractional, at.integral, {});
  int asked = 0;
  best_loop_orders(search, model, {Objective::edp}, 1, [&] { return ++asked < 3; });
  CHECK(asked == 3);
  CHECK(search.orders_visited() < search.orders_total());
}

TEST_CASE("best by score: of equals the first, and what is kept in the order in which it came") {
  BestByScore<char> best(1, 2);
  best.add({3}, 'a');
  best.add({2}, 'b');
  best.add({2}, 'c');
  CHECK_FALSE(best.wants({2}));
  CHECK(best.in_order() == std::vector<char>{'b', 'c'});
  best.add({1}, 'd');
  CHECK(best.in_order() == std::vector<char>{'b', 'd'});
}
