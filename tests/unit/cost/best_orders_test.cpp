// The pruned search gives what evaluating every order and keeping the best gives: the same orders, ties
// included.
#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <functional>
#include <thread>
#include <vector>

#include "core/cost/cost_model.hpp"
#include "core/cost/link_bounds.hpp"
#include "core/cost/link_tables.hpp"
#include "core/search/loma/loma.hpp"
#include "tests/unit/cost/unrolled_problems.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

using Figures = std::vector<double>;

Figures figures_of(const Score& score, const std::vector<OrderMetric>& metrics) {
  Figures figures;
  for (const OrderMetric metric : metrics) {
    if (metric == OrderMetric::energy_total) figures.push_back(score.energy_total);
    if (metric == OrderMetric::latency_total2) figures.push_back(score.latency_total2);
    if (metric == OrderMetric::edp) figures.push_back(score.latency_total2 * score.energy_total);
  }
  return figures;
}

/// The best rows in order of enumeration; of equally good ones the first.
std::vector<CompactMapping> best_of(const std::vector<CompactMapping>& rows,
                                    const std::vector<Score>& scores,
                                    const std::vector<OrderMetric>& metrics, std::size_t keep) {
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

bool same_order(const CompactMapping& a, const CompactMapping& b) {
  return a.loops == b.loops &&
         std::equal(a.dimension.begin(), a.dimension.begin() + a.loops, b.dimension.begin()) &&
         std::equal(a.size.begin(), a.size.begin() + a.loops, b.size.begin()) &&
         a.stationary == b.stationary;
}

/// Each call on a thread of its own.
void on_threads(std::size_t n, const std::function<void(std::size_t)>& fn) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < n; ++i) threads.emplace_back(fn, i);
  for (std::thread& thread : threads) thread.join();
}

const std::vector<std::vector<OrderMetric>> questions = {
    {OrderMetric::energy_total, OrderMetric::latency_total2},
    {OrderMetric::latency_total2, OrderMetric::energy_total},
    {OrderMetric::edp},
    {OrderMetric::energy_total}};

}  // namespace

TEST_CASE("pruned search: the orders that evaluating all of them would keep") {
  int bounded = 0, unbounded = 0, not_all_fit = 0;
  std::size_t threads = 1;
  for (const UnrolledProblem& at : unrolled_problems()) {
    CAPTURE(at.name);
    // Few orders for each point; more, of which not all fit; and enough for bounds.
    for (const int factors : {4, 6, 7}) {
      const LomaOptions space{.factor_limit = factors};
      Loma search(at.layer, at.accelerator, at.fractional, space);
      const auto asked = search.best_orders({OrderMetric::edp}, 1);
      if (asked == nullptr || asked->bounded != (factors == 7)) continue;
      Loma all(at.layer, at.accelerator, at.fractional, space);
      CompactMappings batch;
      all.next(batch, 1000000);
      if (asked->bounded) REQUIRE(all.orders_rejected() == 0);
      for (const int options : {0, 1, 2}) {
        const CostModel model(at.accelerator, at.layer, at.fractional, at.integral,
                              {.same_data_free = options != 2, .zigzag_compat = options == 1});
        const auto links = model.link_tables(batch.lattice);
        std::vector<Score> scores;
        for (const CompactMapping& row : batch.rows) scores.push_back(model.score(row, *links));
        for (const auto& metrics : questions) {
          for (const std::size_t keep : {1, 4}) {
            const auto question = search.best_orders(metrics, keep);
            threads = threads % 4 + 1;
            CAPTURE(threads);
            model.search(*question, {threads, on_threads});
            if (!question->answered) continue;
            (question->bounded ? bounded : unbounded) += 1;
            not_all_fit += all.orders_rejected() > 0 ? 1 : 0;
            REQUIRE(question->evaluated == static_cast<std::int64_t>(batch.rows.size()));
            const auto expected = best_of(batch.rows, scores, metrics, keep);
            REQUIRE(question->best.size() == expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i)
              REQUIRE(same_order(question->best[i], expected[i]));
          }
        }
      }
    }
  }
  CHECK(bounded > 50);
  CHECK(unbounded > 100);
  CHECK(not_all_fit > 20);
}

TEST_CASE("pruned search: one that is stopped is not answered") {
  const UnrolledProblem at = unrolled_problems().back();
  Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = 8});
  const auto question = search.best_orders({OrderMetric::edp}, 1000000);
  REQUIRE(question != nullptr);
  question->stop = [] { return true; };
  const CostModel model(at.accelerator, at.layer, at.fractional, at.integral, {});
  model.search(*question);
  CHECK(!question->answered);
  CHECK(question->best.empty());
  // Whichever thread it is that is told to stop.
  for (const int told : {0, 1, 2, 5}) {
    std::atomic<int> asked = 0;
    question->stop = [&] { return asked++ == told; };
    model.search(*question, {3, on_threads});
    CHECK(!question->answered);
    CHECK(question->best.empty());
  }
}

TEST_CASE("pruned search: what a thread finds late in an early part goes before what others found") {
  const std::vector<OrderMetric> metrics{OrderMetric::energy_total};  // of which many orders have the same
  const UnrolledProblem at = unrolled_problems().front();
  Loma search(at.layer, at.accelerator, at.fractional, {.factor_limit = 8});
  const CostModel model(at.accelerator, at.layer, at.fractional, at.integral, {});
  for (const std::size_t keep : {1, 3}) {
    const auto alone = search.best_orders(metrics, keep);
    REQUIRE(alone != nullptr);
    REQUIRE(alone->bounded);
    model.search(*alone);
    REQUIRE(alone->answered);
    // The first thread rests in the middle of a part until the second one is done with all others.
    for (const int begin : {0, 1, 2, 3}) {
      CAPTURE(begin);
      const auto shared = search.best_orders(metrics, keep);
      std::thread::id first_thread;
      int polls = 0;
      std::atomic<bool> rests = false, goes_on = false;
      shared->stop = [&] {
        if (std::this_thread::get_id() == first_thread && polls++ == begin) {
          rests = true;
          rests.notify_one();
          goes_on.wait(false);
        }
        return false;
      };
      model.search(*shared, {2, [&](std::size_t, const std::function<void(std::size_t)>& fn) {
                               std::thread first([&] {
                                 first_thread = std::this_thread::get_id();
                                 fn(0);
                                 rests = true;
                                 rests.notify_one();
                               });
                               rests.wait(false);
                               fn(1);
                               goes_on = true;
                               goes_on.notify_one();
                               first.join();
                             }});
      REQUIRE(shared->answered);
      CHECK(shared->evaluated == alone->evaluated);
      REQUIRE(shared->best.size() == alone->best.size());
      for (std::size_t i = 0; i < alone->best.size(); ++i)
        CHECK(same_order(shared->best[i], alone->best[i]));
    }
  }
}
