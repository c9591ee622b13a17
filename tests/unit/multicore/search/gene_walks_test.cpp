#include "core/multicore/search/detail/gene_walks.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "core/multicore/search/detail/exhaustive_search.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz::core;
using zz::test::on_threads;

namespace {

/// So many genes; those at odd places have fewer candidates.
PlanSpace space_of(int genes, bool orders) {
  std::vector<PlanGene> all;
  for (int gene = 0; gene < genes; ++gene) {
    PlanGene& entry = all.emplace_back();
    entry.layer = gene;
    entry.cores = gene % 2 == 0 ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{3, 1};
    entry.work = gene + 1;
    entry.bits = 1000 - gene;
  }
  return PlanSpace(genes + 1, std::move(all), orders);
}

/// A made-up cost with one optimum for each figure; refuses what is outside the domains.
PlanEvaluator::Prepare made_up(const PlanSpace& space) {
  const auto evaluate = [&space](const Plan& plan, double, std::string&) {
    const std::vector<int>& cores = plan.cores.front();
    REQUIRE_EQ(cores.size(), space.genes().size());
    PlanFigures figures;
    figures.scheduled = figures.feasible = true;
    figures.latency = figures.energy = 1000;
    for (std::size_t gene = 0; gene < cores.size(); ++gene) {
      const std::vector<int>& domain = space.genes()[gene].cores;
      REQUIRE_NE(std::find(domain.begin(), domain.end(), cores[gene]), domain.end());
      figures.latency += cores[gene] == 1 ? 0 : 7 + cores[gene];
      figures.energy += cores[gene] == 3 ? 0 : 5 + cores[gene];
    }
    if (plan.order.dispatch == DispatchRule::earliest_start) figures.latency -= 100;
    if (!plan.order.layer_offset.empty()) {
      REQUIRE_EQ(plan.order.layer_offset.size(), static_cast<std::size_t>(space.layers()));
      REQUIRE_EQ(plan.order.layer_slope.size(), static_cast<std::size_t>(space.layers()));
    }
    return figures;
  };
  return given_cuts(nullptr, [evaluate] { return evaluate; });
}

}  // namespace

TEST_CASE("climbs: genomes of any length, domains respected, both optima found") {
  for (const bool orders : {false, true}) {
    for (const int genes : {0, 1, 2, 3, 12}) {
      CAPTURE(orders);
      CAPTURE(genes);
      const PlanSpace space = space_of(genes, orders);
      PlanEvaluator evaluator(made_up(space), on_threads(1), {2000, 0});
      RandomNumbers random(5, 0);
      climb_genes(space, 16, 2000, random, evaluator);
      REQUIRE_FALSE(evaluator.front().points().empty());
      CHECK_EQ(evaluator.front().points().back().latency, orders ? 900 : 1000);
      CHECK_EQ(evaluator.front().points().front().energy, 1000);
      CHECK_LE(evaluator.evaluations(), 2000);
      if (!orders) CHECK_LE(static_cast<double>(evaluator.evaluations()), space.allocations());
    }
  }
}

TEST_CASE("climbs: one at a time, and for one schedule") {
  const PlanSpace space = space_of(3, false);
  PlanEvaluator evaluator(made_up(space), on_threads(1));
  RandomNumbers random(5, 0);
  climb_genes(space, 1, 1, random, evaluator);
  CHECK_GE(evaluator.evaluations(), 1);
  climb_genes(space, 0, 3, random, evaluator);
  CHECK_FALSE(evaluator.front().points().empty());
}

TEST_CASE("climbs: begin at what is given, and tell the best by turns in energy and in latency") {
  const PlanSpace space = space_of(3, false);
  PlanEvaluator evaluator(made_up(space), on_threads(1));
  RandomNumbers random(5, 0);
  const std::vector<Plan> first{plan_of({0, 3, 2}), plan_of({1, 1, 1}), plan_of({3, 3, 3})};
  const std::vector<Plan> best = climb_genes(space, 16, 3, random, evaluator, first);
  CHECK_EQ(evaluator.evaluations(), 3);
  REQUIRE_EQ(best.size(), 3);
  CHECK_EQ(best[0].cores, first[2].cores);
  CHECK_EQ(best[1].cores, first[1].cores);
}

TEST_CASE("annealing: genomes of any length, with and without orders") {
  for (const bool orders : {false, true}) {
    for (const int genes : {0, 1, 2, 9}) {
      CAPTURE(orders);
      CAPTURE(genes);
      const PlanSpace space = space_of(genes, orders);
      PlanEvaluator evaluator(made_up(space), on_threads(1), {1500, 0});
      RandomNumbers random(5, 0);
      std::vector<int> cores;
      for (const PlanGene& gene : space.genes()) cores.push_back(gene.cores.front());
      anneal_genes(space, {plan_of(cores)}, Objective::latency, 1500, random, evaluator);
      REQUIRE_FALSE(evaluator.front().points().empty());
      CHECK_EQ(evaluator.front().points().back().latency, orders ? 900 : 1000);
      CHECK_LE(evaluator.evaluations(), 1500);
    }
  }
}

TEST_CASE("exhaustive search: everything once, unless a limit ends it") {
  const PlanSpace space = space_of(4, false);
  for (const std::int64_t limit : {0, 63}) {
    PlanEvaluator evaluator(made_up(space), on_threads(1), {limit, 0});
    const bool all =
        search_exhaustively(space, CoreSymmetry(), PartialBound(), {ScheduleChoice()}, evaluator);
    CHECK_EQ(all, limit == 0);
    CHECK_EQ(evaluator.evaluations(), limit == 0 ? 64 : 63);
  }
  const PlanSpace nothing = space_of(0, false);
  PlanEvaluator evaluator(made_up(nothing), on_threads(1));
  CHECK(search_exhaustively(nothing, CoreSymmetry(), PartialBound(), {ScheduleChoice()}, evaluator));
  CHECK_EQ(evaluator.evaluations(), 1);
}
