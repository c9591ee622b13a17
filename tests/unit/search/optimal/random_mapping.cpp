#include "tests/unit/search/optimal/random_mapping.hpp"

#include "core/cost/data_footprint.hpp"
#include "core/cost/loop_cycles.hpp"
#include "core/cost/memory_use.hpp"

namespace zz::test {

using namespace zz::core;

namespace {

bool fits(const SearchProblem& problem, const SampledMapping& sample) {
  std::vector<double> used(problem.fit.groups().size(), 0);
  const std::size_t full = problem.space.lattice().full();
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    bool partial = problem.space.irrelevant_above(0, 0);
    for (int level = 0; level < problem.fit.levels(operand); ++level) {
      const bool closed = level < sample.ending[operand];
      const std::size_t vector = closed ? sample.below[operand][level + 1] : full;
      const double bits = problem.fit.bits(operand, level, vector, operand == 0 && partial);
      if (bits > problem.fit.capacity(operand, level)) return false;
      partial = problem.space.irrelevant_above(0, vector);
      const int group = problem.fit.group(operand, level);
      if (group >= 0 && (used[group] += bits) > problem.fit.groups()[group].capacity) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<SampledMapping> random_mapping(const SearchProblem& problem, std::mt19937& random) {
  const ExponentLattice& lattice = problem.space.lattice();
  SampledMapping sample;
  CompactMapping& mapping = sample.mapping;
  std::array<std::int64_t, max_operands> run;
  run.fill(1);
  // How readily a cut is made, so that all endings turn up.
  std::array<unsigned, max_operands> readiness;
  for (unsigned& each : readiness) each = 1 + random() % 8;
  for (std::size_t vector = 0; vector != lattice.full();) {
    std::vector<std::size_t> next;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind)
      if (problem.space.may_follow(vector, kind)) next.push_back(kind);
    if (next.empty()) return std::nullopt;
    const std::size_t kind = next[random() % next.size()];
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      if (problem.space.irrelevant(operand, kind)) {
        run[operand] *= lattice.kinds()[kind].size;
        continue;
      }
      if (!sample.unchanged[operand]) sample.unchanged[operand] = vector;
      int& closed = sample.ending[operand];
      while (closed + 1 < problem.fit.levels(operand) && random() % 8 < readiness[operand] / 2) {
        mapping.stationary[operand][closed] = static_cast<std::uint8_t>(mapping.loops);
        ++closed;
        sample.below[operand][closed] = vector;
        sample.run[operand][closed] = run[operand];
        run[operand] = 1;
      }
      run[operand] = 1;
    }
    mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(lattice.kinds()[kind].dimension);
    mapping.size[mapping.loops++] = lattice.kinds()[kind].size;
    vector += lattice.stride(kind);
  }
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    for (int level = sample.ending[operand]; level < problem.fit.levels(operand); ++level)
      mapping.stationary[operand][level] = static_cast<std::uint8_t>(mapping.loops);
  }
  mapping.allocated = mapping.stationary;
  if (!fits(problem, sample)) return std::nullopt;
  return sample;
}

std::vector<double> sums_of(const SearchProblem& problem, const LatencyCosts& costs,
                            const SampledMapping& sample) {
  const CostTables& tables = problem.tables;
  const LoopCycles cycles(tables, sample.mapping, problem.given.options.same_data_free);
  const MemoryUse use(tables, DataFootprint(tables, tables.fractional, sample.mapping, cycles));
  const LinkCosts links = costs.costs(sample.ending);
  std::vector<double> sums = links.constant;
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const auto add = [&](int link, std::size_t vector) {
      for (int family = 0; family < links.families; ++family)
        sums[family] += links.at(operand, link, vector)[family];
    };
    if (sample.unchanged[operand]) add(0, *sample.unchanged[operand]);
    for (int link = 1; link <= sample.ending[operand]; ++link) {
      add(link, sample.below[operand][link]);
      if (!use.double_buffered[operand][link] && sample.run[operand][link] > 1)
        costs.add(operand, link, sample.below[operand][link], sample.run[operand][link], sums.data());
    }
  }
  return sums;
}

}  // namespace zz::test
