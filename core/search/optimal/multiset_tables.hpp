#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// What the boundaries of a layer cost, and what its memories hold, by the multiset of loops below: all
/// that a search needs that joins the mappings of several layers. The figures are those of the cost model
/// (core/cost/boundary_cost.hpp), for any order of loops with that multiset below the boundary.
///
/// A multiset is a number: the sum of the strides of its factors. The empty one is 0, and a multiset has a
/// smaller number than those that contain it. Boundaries, levels and operands are those of CostTables.
struct MultisetTables {
  /// Throws as find_optimal_mapping().
  explicit MultisetTables(const MappingProblem& problem);

  struct Kind {
    int dimension = 0;  ///< index into Layer::loops
    std::int64_t size = 1;
    int count = 0;  ///< equal factors
    std::size_t stride = 1;
  };
  struct Operand {
    int levels = 0;
    std::vector<bool> relevant;                         ///< by kind: the loop changes the operand
    std::vector<bool> all_irrelevant;                   ///< by multiset: the units still use one element
    std::vector<std::vector<double>> energy;            ///< [boundary][multiset], pJ; infinite: no port
    std::vector<std::vector<double>> elements_bits[2];  ///< [level][multiset]; [1]: partial sums
    std::vector<double> capacity;                       ///< by level, bits
    std::vector<int> memory;                            ///< by level, index into Accelerator::memories
  };
  int count(std::size_t multiset, const Kind& kind) const {
    return static_cast<int>(multiset / kind.stride % static_cast<std::size_t>(kind.count + 1));
  }
  /// Bits at a level with the loops of a multiset below its upper boundary; `partial`: with partial sums.
  double bits(int operand, int level, std::size_t multiset, bool partial) const {
    return operands[operand].elements_bits[partial ? 1 : 0][level][multiset];
  }

  std::vector<Kind> kinds;
  std::size_t size = 1;  ///< number of multisets; the last one has all loops
  std::vector<Operand> operands;
  std::vector<bool> sums_above;  ///< by multiset: a loop above adds to the same outputs
  bool partial_matters = false;  ///< finished outputs are shorter than partial sums in some memory
  double operations = 0;         ///< pJ of the units
};

}  // namespace zz::core
