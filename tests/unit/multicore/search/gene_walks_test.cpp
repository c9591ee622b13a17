#include "core/multicore/search/detail/gene_walks.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "core/multicore/search/detail/exhaustive_search.hpp"
#include "tests/unit/worlds/searches.hpp"

using namespace zz::core;
using zz::test::on_threads;

namespace {

/// So many genes; those at odd places have fewer candidates.
SearchSpace space_of(int genes, bool orders) {
  SearchSpace space;
  for (int gene = 0; gene < genes; ++gene) {
    space.domains.push_back(gene % 2 == 0 ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{3, 1});
    space.layer_of_gene.push_back(gene);
    space.work_of_gene.push_back(gene + 1);
    space.bits_of_gene.push_back(1000 - gene);
  }
  space.layers = genes + 1;
  space.orders = orders;
  return space;
}

/// A made-up cost with one optimum for each figure; refuses what is outside the domains.
EvaluateChoice evaluate_in(const SearchSpace& space) {
  return [&space](const ScheduleChoice& choice, std::string*) {
    REQUIRE_EQ(choice.cores.size(), space.domains.size());
    ScheduleFigures figures{true, 1000, 1000};
    for (std::size_t gene = 0; gene < choice.cores.size(); ++gene) {
      const std::vector<int>& domain = space.domains[gene];
      REQUIRE_NE(std::find(domain.begin(), domain.end(), choice.cores[gene]), domain.end());
      figures.latency += choice.cores[gene] == 1 ? 0 : 7 + choice.cores[gene];
      figures.energy += choice.cores[gene] == 3 ? 0 : 5 + choice.cores[gene];
    }
    if (choice.dispatch == DispatchRule::earliest_start) figures.latency -= 100;
    if (!choice.layer_offset.empty()) {
      REQUIRE_EQ(choice.layer_offset.size(), static_cast<std::size_t>(space.layers));
      REQUIRE_EQ(choice.layer_slope.size(), static_cast<std::size_t>(space.layers));
    }
    return figures;
  };
}

}  // namespace

TEST_CASE("climbs: genomes of any length, domains respected, both optima found") {
  for (const bool orders : {false, true}) {
    for (const int genes : {0, 1, 2, 3, 12}) {
      CAPTURE(orders);
      CAPTURE(genes);
      const SearchSpace space = space_of(genes, orders);
      ChoiceEvaluator evaluator([&] { return evaluate_in(space); }, CoreSymmetry(), on_threads(1),
                                {2000, 0});
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
  const SearchSpace space = space_of(3, false);
  ChoiceEvaluator evaluator([&] { return evaluate_in(space); }, CoreSymmetry(), on_threads(1), {});
  RandomNumbers random(5, 0);
  climb_genes(space, 1, 1, random, evaluator);
  CHECK_GE(evaluator.evaluations(), 1);
  climb_genes(space, 0, 3, random, evaluator);
  CHECK_FALSE(evaluator.front().points().empty());
}

TEST_CASE("climbs: begin at what is given, and tell the best by turns in energy and in latency") {
  const SearchSpace space = space_of(3, false);
  ChoiceEvaluator evaluator([&] { return evaluate_in(space); }, CoreSymmetry(), on_threads(1), {});
  RandomNumbers random(5, 0);
  std::vector<ScheduleChoice> first(3);
  first[0].cores = {0, 3, 2};
  first[1].cores = {1, 1, 1};
  first[2].cores = {3, 3, 3};
  const std::vector<ScheduleChoice> best = climb_genes(space, 16, 3, random, evaluator, first);
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
      const SearchSpace space = space_of(genes, orders);
      ChoiceEvaluator evaluator([&] { return evaluate_in(space); }, CoreSymmetry(), on_threads(1),
                                {1500, 0});
      RandomNumbers random(5, 0);
      ScheduleChoice start;
      for (const std::vector<int>& domain : space.domains) start.cores.push_back(domain.front());
      anneal_genes(space, {start}, Objective::latency, 1500, random, evaluator);
      REQUIRE_FALSE(evaluator.front().points().empty());
      CHECK_EQ(evaluator.front().points().back().latency, orders ? 900 : 1000);
      CHECK_LE(evaluator.evaluations(), 1500);
    }
  }
}

TEST_CASE("exhaustive search: everything once, unless a limit ends it") {
  const SearchSpace space = space_of(4, false);
  for (const std::int64_t limit : {0, 63}) {
    ChoiceEvaluator evaluator([&] { return evaluate_in(space); }, CoreSymmetry(), on_threads(1),
                              {limit, 0});
    const bool all = search_exhaustively(space, PartialBound(), {ScheduleChoice()}, evaluator);
    CHECK_EQ(all, limit == 0);
    CHECK_EQ(evaluator.evaluations(), limit == 0 ? 64 : 63);
  }
  const SearchSpace nothing = space_of(0, false);
  ChoiceEvaluator evaluator([&] { return evaluate_in(nothing); }, CoreSymmetry(), on_threads(1), {});
  CHECK(search_exhaustively(nothing, PartialBound(), {ScheduleChoice()}, evaluator));
  CHECK_EQ(evaluator.evaluations(), 1);
}
