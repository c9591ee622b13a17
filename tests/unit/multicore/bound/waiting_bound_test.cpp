#include "core/multicore/bound/detail/waiting_bound.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "core/multicore/bound/schedule_bound.hpp"
#include "core/multicore/schedule/scheduler.hpp"
#include "core/search/methods/random_numbers.hpp"
#include "tests/unit/worlds/schedules.hpp"

using namespace zz;
using test::ProblemSketch;

namespace {

/// Two to four layers of a few nodes on two or three cores. Layers read one or two of those before them,
/// whole or piece by piece, with weights that all nodes or those of a group share, and sometimes stream.
ProblemSketch random_problem(core::RandomNumbers& random) {
  const int cores = 2 + random.below(2), layers = 2 + random.below(3);
  ProblemSketch sketch(cores, 3000 + 1000 * random.below(20));
  for (core::Link& link : sketch.accelerator->links)
    link.bandwidth = std::vector<double>{8, 32, 64, 256}[random.below(4)];
  std::vector<std::vector<int>> nodes_of;
  for (int layer = 0; layer < layers; ++layer) {
    const bool weights = random.below(4) > 0;
    sketch.layer(weights ? std::vector<int>{ProblemSketch::w} : std::vector<int>{});
    const int pieces = 1 + random.below(3);
    const bool shared = random.below(2) == 0;
    const bool apart = random.below(2) == 0;  // nodes of several groups read the same weights
    const int bits = 64 * (1 + random.below(20));
    const int of_all = weights && shared ? sketch.tensor(ProblemSketch::w, bits, pieces) : -1;
    std::vector<int>& own = nodes_of.emplace_back();
    for (int piece = 0; piece < pieces; ++piece) {
      const int output = sketch.tensor(ProblemSketch::o, 64 * (1 + random.below(6)), 0);
      const int reads = !weights ? -1 : shared ? of_all : sketch.tensor(ProblemSketch::w, bits, 1);
      own.push_back(sketch.node({output, reads, -1}, shared && weights && !apart ? 0 : piece));
    }
    if (layer > 0) {
      const int from = random.below(3) > 0 ? layer - 1 : random.below(layer);
      const bool whole = random.below(2) == 0;
      for (std::size_t piece = 0; piece < own.size(); ++piece)
        for (std::size_t read = 0; read < nodes_of[from].size(); ++read)
          if (whole || read <= piece) sketch.edge(nodes_of[from][read], own[piece], ProblemSketch::i, 64);
    }
    bool any = false;
    for (int core = 0; core < cores; ++core) {
      if (random.below(4) == 0 && (any || core + 1 < cores)) continue;
      core::CoreCost& cost = sketch.cost(core, 1 + random.below(60));
      if (weights && random.below(6) == 0) {
        cost.streamed = {ProblemSketch::w};
        cost.stream_read_bits = bits;
      }
      any = true;
    }
  }
  return sketch;
}

/// The shortest schedule over all allocations, rules and gaps; infinite: none fits.
double shortest(const core::ScheduleProblem& problem) {
  core::Scheduler scheduler(std::make_shared<const core::ScheduleProblem>(
      problem.accelerator(), problem.graph(), problem.costs(), problem.options()));
  const std::vector<core::Gene>& genes = problem.genes();
  std::vector<std::size_t> at(genes.size(), 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    core::ScheduleChoice choice;
    for (std::size_t gene = 0; gene < genes.size(); ++gene)
      choice.cores.push_back(genes[gene].cores[at[gene]]);
    for (int dispatch = 0; dispatch < 3; ++dispatch) {
      for (const bool back_filling : {false, true}) {
        choice.dispatch = static_cast<core::DispatchRule>(dispatch);
        choice.back_filling = back_filling;
        const core::ScheduleFigures figures = scheduler.evaluate(choice);
        if (figures.feasible) best = std::min(best, figures.latency);
      }
    }
    std::size_t gene = 0;
    while (gene < genes.size() && ++at[gene] == genes[gene].cores.size()) at[gene++] = 0;
    if (gene == genes.size()) return best;
  }
}

/// Bounds of so many random problems against their shortest schedules.
void compare_small(int problems, std::uint64_t seed) {
  core::RandomNumbers random(seed, 0);
  std::vector<double> gaps;
  for (int i = 0; i < problems; ++i) {
    CAPTURE(i);
    ProblemSketch sketch = random_problem(random);
    const auto problem = sketch.problem(false);
    const double best = shortest(*problem);
    const double bound = core::schedule_bound(*problem);
    if (!(best < std::numeric_limits<double>::infinity())) continue;
    CHECK(bound <= best);
    CHECK(core::WaitingBound(problem->tables()).of({}) <= bound);
    gaps.push_back(best / bound - 1);
  }
  std::sort(gaps.begin(), gaps.end());
  MESSAGE(gaps.size(), " problems; gap: median ", gaps[gaps.size() / 2], ", of nine tenths ",
          gaps[gaps.size() * 9 / 10], ", largest ", gaps.back());
  CHECK(gaps[gaps.size() / 2] < 0.1);
}

}  // namespace

TEST_CASE("waiting bound: no schedule of a small problem is shorter, and most are hardly longer") {
  compare_small(200, 1);
}

TEST_CASE("waiting bound: no schedule of thousands of small problems is shorter" * doctest::skip()) {
  compare_small(10000, 2);
}
