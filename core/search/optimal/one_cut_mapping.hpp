#pragma once
#include <vector>

#include "core/cost/cost_tables.hpp"
#include "core/mapping/compact_mapping.hpp"
#include "core/search/optimal/exponent_lattice.hpp"

namespace zz::core {

/// A mapping with the loops of `vector` innermost, merged to one loop a dimension, and every memory but the
/// topmost of every operand cut right above them. Seen from one link between two memories it moves what any
/// mapping moves whose cut at that link has the same loops below; the cost model itself thus fills tables.
CompactMapping one_cut_mapping(const CostTables& tables, const ExponentLattice& lattice,
                               std::size_t vector);

}  // namespace zz::core
