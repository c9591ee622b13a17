#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "core/cost/boundaries.hpp"
#include "core/cost/boundary_cost.hpp"
#include "core/cost/score.hpp"

namespace zz::core {

/// The costs of all boundaries under one mapping, and what they are together.
class EvaluatedBoundaries {
 public:
  EvaluatedBoundaries(const CostTables& tables, const CostModelOptions& options,
                      const Boundaries& boundaries, const CompactMapping& mapping) {
    for (const Boundaries::Boundary& at : boundaries.all()) {
      costs_[count_] = cost_of(tables, options, mapping, at.operand, at.level);
      pointers_[count_] = &costs_[count_];
      ++count_;
    }
    combined = combine(tables, options, boundaries, mapping, all());
  }
  EvaluatedBoundaries(const EvaluatedBoundaries&) = delete;
  EvaluatedBoundaries& operator=(const EvaluatedBoundaries&) = delete;

  std::span<const BoundaryCost* const> all() const { return {pointers_.data(), count_}; }

  const BoundaryCost& operator[](int boundary) const { return costs_[static_cast<std::size_t>(boundary)]; }
  CombinedCost combined;

 private:
  std::array<BoundaryCost, Boundaries::most> costs_;
  std::array<const BoundaryCost*, Boundaries::most> pointers_;
  std::size_t count_ = 0;
};

}  // namespace zz::core
