#include "core/search/optimal/detail/array_stays.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {
namespace {

/// Multisets of loops that are irrelevant to the operand.
std::vector<std::size_t> possible_stays(const TemporalSpace& space, int operand) {
  std::vector<std::size_t> found;
  const ExponentLattice& lattice = space.lattice();
  if (operand == ArrayTable::no_operand) return {lattice.full()};
  for (std::size_t multiset = 0; multiset < lattice.size(); ++multiset)
    if (space.all_irrelevant(operand, multiset)) found.push_back(multiset);
  return found;
}

bool contains(const ExponentLattice& lattice, std::size_t outer, std::size_t inner) {
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind)
    if (lattice.count(outer, kind) < lattice.count(inner, kind)) return false;
  return true;
}

/// Some loop may come next behind the stay and within all longer ones.
bool may_end(const TemporalSpace& space, const Stay& stay, const std::vector<Stay>& all) {
  const ExponentLattice& lattice = space.lattice();
  if (stay.multiset == lattice.full()) return true;
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    if (!lattice.has_more(stay.multiset, kind) || space.irrelevant(stay.operand, kind)) continue;
    const bool follows = std::all_of(all.begin(), all.end(), [&](const Stay& other) {
      return other.multiset == stay.multiset
                 ? space.relevant(other.operand, kind)
                 : !contains(lattice, other.multiset, stay.multiset) ||
                       lattice.count(stay.multiset, kind) < lattice.count(other.multiset, kind);
    });
    if (follows) return true;
  }
  return false;
}

/// Iterations of the loops of a multiset, of one dimension or (-1) of all.
std::int64_t iterations(const ExponentLattice& lattice, std::size_t multiset, int dimension) {
  std::int64_t product = 1;
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopKind& loop = lattice.kinds()[kind];
    if (dimension >= 0 && loop.dimension != dimension) continue;
    for (int i = lattice.count(multiset, kind); i-- > 0;) product *= loop.size;
  }
  return product;
}

std::int64_t rows_of(const ArrayTable& array, const ExponentLattice& lattice, std::size_t multiset) {
  for (const int dimension : array.along)
    if (const std::int64_t rows = iterations(lattice, multiset, dimension); rows > 1) return rows;
  return 1;
}

}  // namespace

std::vector<Beginning> beginnings(const CostTables& tables, const TemporalSpace& space) {
  constexpr std::size_t most = std::size_t{1} << 18;
  const ExponentLattice& lattice = space.lattice();
  const ArrayTable& array = tables.array;
  const std::int64_t steps = iterations(lattice, lattice.full(), -1);
  std::vector<Beginning> found;
  const auto add = [&](std::vector<Stay> stays, const ArrayStays& lengths) {
    for (const Stay& stay : stays)
      if (!may_end(space, stay, stays)) return;
    if (found.size() == most)
      throw InputError(
          fmt::format("the loops that remain in time can begin in more than {} ways, too many "
                      "to search for an optimum with fold and instruction",
                      most));
    found.push_back({std::move(stays), ArrayPace(array, lengths, steps, tables.step)});
  };
  const std::vector<std::size_t> nothing = {0};
  const bool one_operand =
      array.has_fold && array.has_instruction && array.fold_operand == array.instruction_operand;
  const std::vector<std::size_t> folds =
      array.has_fold ? possible_stays(space, array.fold_operand) : nothing;
  const std::vector<std::size_t> instructions =
      array.has_instruction ? possible_stays(space, array.instruction_operand) : nothing;
  for (const std::size_t fold : folds) {
    for (const std::size_t instruction : instructions) {
      if (one_operand && fold != instruction) continue;
      std::vector<Stay> stays;
      if (array.has_fold) stays.push_back({array.fold_operand, fold});
      if (array.has_instruction && !one_operand) stays.push_back({array.instruction_operand, instruction});
      if (stays.size() == 2 && !contains(lattice, fold, instruction) &&
          !contains(lattice, instruction, fold))
        continue;
      add(std::move(stays), {iterations(lattice, fold, -1), iterations(lattice, instruction, -1),
                             rows_of(array, lattice, instruction)});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Beginning& a, const Beginning& b) {
    return a.pace.cycles() < b.pace.cycles();
  });
  return found;
}

double least_array_cycles(const CostTables& tables, const std::vector<FactorTable>& factors) {
  std::vector<LoopKind> kinds;
  for (const FactorTable& table : factors)
    for (const auto& [size, count] : table.entries)
      if (size > 1) kinds.push_back({table.dimension, size, count});
  const ArrayTable& array = tables.array;
  double steps = 1;
  for (const LoopKind& kind : kinds)
    for (int i = 0; i < kind.count; ++i) steps *= static_cast<double>(kind.size);
  const auto all = static_cast<std::int64_t>(steps);
  const auto least_more = [&](int operand, bool fold) {
    std::vector<LoopKind> own;
    for (const LoopKind& kind : kinds)
      if (operand == ArrayTable::no_operand ||
          tables.operands[operand].relevancy[kind.dimension] == Relevancy::irrelevant)
        own.push_back(kind);
    const ExponentLattice stays(std::move(own));
    double least = infinite;
    for (std::size_t multiset = 0; multiset < stays.size(); ++multiset) {
      const std::int64_t stay = iterations(stays, multiset, -1);
      const ArrayPace pace(array, {stay, stay, rows_of(array, stays, multiset)}, all, StepCycles{});
      least = std::min(least, fold ? pace.fold_cycles() : pace.instruction_cycles());
    }
    return least;
  };
  double cycles = steps * tables.step.each();
  if (array.has_fold) cycles += least_more(array.fold_operand, true);
  if (array.has_instruction) cycles += least_more(array.instruction_operand, false);
  return cycles;
}

}  // namespace zz::core
