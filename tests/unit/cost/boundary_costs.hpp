#pragma once
#include <vector>

#include "core/cost/latency.hpp"

namespace zz::test {

/// The costs of all boundaries under one mapping.
class BoundaryCosts {
 public:
  BoundaryCosts(const core::CostTables& tables, const core::CostModelOptions& options,
                const core::CompactMapping& mapping)
      : boundaries_(tables) {
    for (const core::Boundaries::Boundary& at : boundaries_.all())
      costs_.push_back(core::cost_of(tables, options, mapping, at.operand, at.level));
    std::vector<const core::BoundaryCost*> all;
    for (const core::BoundaryCost& cost : costs_) all.push_back(&cost);
    second_buffers_ = core::second_buffers(tables, options.rules, boundaries_, mapping, all);
  }

  const core::BoundaryCost& at(int operand, int level) const {
    return costs_[static_cast<std::size_t>(boundaries_.number(operand, level))];
  }
  bool double_buffered(int operand, int level) const {
    return level > 0 && (second_buffers_ >> boundaries_.number(operand, level) & 1) != 0;
  }

 private:
  core::Boundaries boundaries_;
  std::vector<core::BoundaryCost> costs_;
  std::uint64_t second_buffers_ = 0;
};

}  // namespace zz::test
