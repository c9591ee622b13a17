#include "core/search/optimal/one_cut_mapping.hpp"

#include <array>

namespace zz::core {

CompactMapping one_cut_mapping(const CostTables& tables, const ExponentLattice& lattice,
                               std::size_t vector) {
  std::array<std::int64_t, max_loop_dimensions> inner;
  std::array<std::int64_t, max_loop_dimensions> outer;
  inner.fill(1);
  outer.fill(1);
  for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
    const LoopKind& loop = lattice.kinds()[kind];
    const int below = lattice.count(vector, kind);
    for (int i = 0; i < loop.count; ++i) (i < below ? inner : outer)[loop.dimension] *= loop.size;
  }
  CompactMapping mapping;
  const auto put = [&](const auto& sizes) {
    for (std::size_t dimension = 0; dimension < max_loop_dimensions; ++dimension) {
      if (sizes[dimension] == 1) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(dimension);
      mapping.size[mapping.loops++] = sizes[dimension];
    }
  };
  put(inner);
  const auto cut = static_cast<std::uint8_t>(mapping.loops);
  // Where an operand has one memory, nothing but a loop that is not irrelevant to it ends what its units
  // keep: a loop of one iteration.
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const OperandTable& table = tables.operands[operand];
    if (table.levels > 1) continue;
    for (const LoopKind& loop : lattice.kinds()) {
      if (table.relevancy[loop.dimension] == Relevancy::irrelevant) continue;
      mapping.dimension[mapping.loops] = static_cast<std::uint8_t>(loop.dimension);
      mapping.size[mapping.loops++] = 1;
      break;
    }
  }
  put(outer);
  for (int operand = 0; operand < tables.operand_count; ++operand) {
    const int levels = tables.operands[operand].levels;
    for (int level = 0; level < levels; ++level) {
      mapping.stationary[operand][level] =
          level + 1 < levels ? cut : static_cast<std::uint8_t>(mapping.loops);
    }
  }
  return mapping;
}

}  // namespace zz::core
