#include "tests/unit/search/optimal/random_mapping.hpp"

#include "core/cost/data_footprint.hpp"
#include "tests/unit/cost/boundary_costs.hpp"

namespace zz::test {

using namespace zz::core;

namespace {

bool fits(const SearchProblem& problem, const SampledMapping& sample) {
  std::vector<double> used(problem.fit.groups().size(), 0);
  const std::size_t full = problem.space.lattice().full();
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    bool partial = problem.space.irrelevant_above(0, 0);
    for (int level = 0; level < problem.fit.levels(operand); ++level) {
      const bool closed = level < sample.residency[operand];
      const std::size_t multiset = closed ? sample.below[operand][level + 1] : full;
      const double bits = problem.fit.bits(operand, level, multiset, operand == 0 && partial);
      if (bits > problem.fit.capacity(operand, level)) return false;
      partial = problem.space.irrelevant_above(0, multiset);
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
  std::array<std::int64_t, max_operands> kept;
  kept.fill(1);
  // Readiness to cut, so that all residencies turn up.
  std::array<unsigned, max_operands> readiness;
  for (unsigned& each : readiness) each = 1 + random() % 8;
  for (std::size_t multiset = 0; multiset != lattice.full();) {
    std::vector<std::size_t> next;
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind)
      if (problem.space.may_follow(multiset, kind)) next.push_back(kind);
    if (next.empty()) return std::nullopt;
    const std::size_t kind = next[random() % next.size()];
    for (int operand = 0; operand < problem.space.operands(); ++operand) {
      if (problem.space.irrelevant(operand, kind)) {
        kept[operand] *= lattice.kinds()[kind].size;
        continue;
      }
      if (!sample.unchanged[operand]) sample.unchanged[operand] = multiset;
      int& closed = sample.residency[operand];
      while (closed + 1 < problem.fit.levels(operand) && random() % 8 < readiness[operand] / 2) {
        mapping.stationary[operand][closed] = static_cast<std::uint8_t>(mapping.loops);
        ++closed;
        sample.below[operand][closed] = multiset;
        sample.kept[operand][closed] = kept[operand];
        kept[operand] = 1;
      }
      kept[operand] = 1;
    }
    mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(lattice.kinds()[kind].dimension);
    mapping.size[mapping.loops++] = lattice.kinds()[kind].size;
    multiset += lattice.stride(kind);
  }
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    for (int level = sample.residency[operand]; level < problem.fit.levels(operand); ++level)
      mapping.stationary[operand][level] = static_cast<std::uint8_t>(mapping.loops);
  }
  mapping.allocated = mapping.stationary;
  if (!fits(problem, sample)) return std::nullopt;
  return sample;
}

bool holds_sums(const SearchProblem& problem, const SampledMapping& sample, int operand, int boundary) {
  const std::size_t lower = boundary > 1 ? sample.below[operand][boundary - 1] : 0;
  return operand == 0 && problem.space.irrelevant_above(0, lower);
}

std::vector<double> sums_of(const SearchProblem& problem, const LatencyCosts& costs,
                            const SampledMapping& sample) {
  const CostTables& tables = problem.tables;
  const BoundaryCosts use(tables, problem.given.options, sample.mapping);
  const LabelCosts boundaries = costs.costs(sample.residency);
  std::vector<double> sums = boundaries.constant;
  for (int operand = 0; operand < problem.space.operands(); ++operand) {
    const auto add = [&](int boundary, std::size_t multiset) {
      for (int component = 0; component < boundaries.components; ++component)
        sums[component] += boundaries.at(operand, boundary, multiset)[component];
    };
    if (sample.unchanged[operand]) add(0, *sample.unchanged[operand]);
    for (int boundary = 1; boundary <= sample.residency[operand]; ++boundary) {
      add(boundary, sample.below[operand][boundary]);
      if (!use.double_buffered(operand, boundary) && sample.kept[operand][boundary] > 1)
        costs.add(operand, boundary, sample.below[operand][boundary],
                  holds_sums(problem, sample, operand, boundary), sample.kept[operand][boundary],
                  sums.data());
    }
  }
  return sums;
}

}  // namespace zz::test
