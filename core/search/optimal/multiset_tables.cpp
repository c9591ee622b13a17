#include "core/search/optimal/multiset_tables.hpp"

#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/search/optimal/detail/energy_proof.hpp"
#include "core/search/optimal/detail/search_problem.hpp"

namespace zz::core {

MultisetTables::MultisetTables(const MappingProblem& given) {
  const SearchProblem problem(given);
  const TemporalSpace& space = problem.space;
  if (!problem.tables.shared_tiles.empty())
    throw InputError(
        fmt::format("accelerator '{}' has a memory with shared_tiles, for which layers cannot be fused",
                    given.accelerator->name));
  const ExponentLattice& lattice = space.lattice();
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopKind& loop = lattice.kinds()[kind];
    kinds.push_back({loop.dimension, loop.size, loop.count, lattice.stride(kind)});
  }
  size = lattice.size();
  const LabelCosts costs = energy_costs(problem);
  operations = costs.constant.front();
  partial_matters = problem.fit.partial_matters();
  for (std::size_t multiset = 0; multiset < size; ++multiset)
    sums_above.push_back(space.irrelevant_above(0, multiset));
  for (int index = 0; index < space.operands(); ++index) {
    Operand operand;
    operand.levels = problem.fit.levels(index);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      operand.relevant.push_back(space.relevant(index, kind));
    for (std::size_t multiset = 0; multiset < size; ++multiset)
      operand.all_irrelevant.push_back(space.all_irrelevant(index, multiset));
    operand.energy = (*costs.boundaries)[index];
    for (int level = 0; level < operand.levels; ++level) {
      operand.capacity.push_back(problem.fit.capacity(index, level));
      operand.memory.push_back(problem.tables.operands[index].memory[level]);
      for (const bool partial : {false, true}) {
        std::vector<double>& bits = operand.elements_bits[partial ? 1 : 0].emplace_back();
        bits.reserve(size);
        for (std::size_t multiset = 0; multiset < size; ++multiset)
          bits.push_back(problem.fit.bits(index, level, multiset, partial));
      }
    }
    operands.push_back(std::move(operand));
  }
}

}  // namespace zz::core
