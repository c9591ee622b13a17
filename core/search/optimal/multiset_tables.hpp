#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/search/optimal/mapping_problem.hpp"

namespace zz::core {

/// Costs of the boundaries of a layer, and contents of its memories, by the multiset of loops below: all
/// that a search needs that joins the mappings of several layers. The figures are those of the cost model
/// (core/cost/boundary_cost.hpp), for any order of loops with that multiset below the boundary.
///
/// A multiset is a number: the sum of the strides of its factors. The empty one is 0, and a multiset has a
/// smaller number than those that contain it. Boundaries, levels and operands are those of CostTables.
struct MultisetTables {
  static constexpr std::size_t most_ports = 4;

  /// `cycles`: of ports, too. Throws as find_optimal_mapping().
  explicit MultisetTables(const MappingProblem& problem, bool cycles = false);

  /// Cost of boundaries together.
  struct Cost {
    double energy = 0;                      ///< pJ
    std::array<double, most_ports> busy{};  ///< cycles of ports for all that passes; the first `ports`

    Cost& operator+=(const Cost& more) {
      energy += more.energy;
      for (std::size_t port = 0; port < most_ports; ++port) busy[port] += more.busy[port];
      return *this;
    }
  };

  struct Kind {
    int dimension = 0;  ///< index into Layer::loops
    std::int64_t size = 1;
    int count = 0;  ///< equal factors
    std::size_t stride = 1;
  };
  struct Operand {
    int levels = 0;
    std::vector<bool> relevant;               ///< by kind: the loop changes the operand
    std::vector<bool> all_irrelevant;         ///< by multiset: the units still use one element
    std::vector<std::vector<double>> energy;  ///< [boundary][multiset], pJ; infinite: no port
    std::array<std::vector<std::vector<double>>, most_ports> busy;  ///< the same for ports, cycles
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
  /// Adds what the boundary costs with the loops of a multiset below.
  void add(Cost& cost, int operand, int boundary, std::size_t multiset) const {
    cost.energy += operands[operand].energy[boundary][multiset];
    for (std::size_t port = 0; port < ports; ++port)
      cost.busy[port] += operands[operand].busy[port][boundary][multiset];
  }

  std::vector<Kind> kinds;
  std::size_t size = 1;  ///< number of multisets; the last one has all loops
  std::vector<Operand> operands;
  std::vector<std::vector<double>>
      finished_bits;             ///< [level][multiset]: of the output, once it is finished
  std::vector<bool> sums_above;  ///< by multiset: a loop above adds to the same outputs
  bool partial_matters = false;  ///< finished outputs are shorter than partial sums in some memory
  double operations = 0;         ///< pJ of the units
  /// Ports that some mapping keeps busy for longer than the array: so many of them have cycles, those that
  /// all mappings keep busy longest.
  std::size_t ports = 0;
  double computation = 0;  ///< cycles of the array at least; with `cycles` only
};

}  // namespace zz::core
