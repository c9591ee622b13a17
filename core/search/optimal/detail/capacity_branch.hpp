#pragma once
#include <array>
#include <memory>
#include <vector>

#include "core/search/optimal/certificate.hpp"
#include "core/search/optimal/detail/memory_fit.hpp"
#include "core/search/optimal/detail/temporal_space.hpp"

namespace zz::core {

/// A node of the branching on shared memories: a range of bits for each operand of each MemoryFit::Group,
/// the room that the operand may use.
///
/// The least of one operand is not available to the others. The two branches of split() together contain
/// all mappings of the branch. Once the upper ends of all ranges fit together, operands are independent.
class CapacityBranch {
 public:
  /// The root: every size that a memory can hold.
  CapacityBranch(const TemporalSpace& space, const MemoryFit& fit);

  /// `bits`: MemoryFit::least_bits with the loops below the upper cut.
  bool allow(int operand, int level, double bits) const {
    const Range& range = ranges_[operand][level];
    return bits >= range.least && bits <= range.most;
  }
  double most(int operand, int level) const { return ranges_[operand][level].most; }
  double least(int operand, int level) const { return ranges_[operand][level].least; }

  /// In some memory, not all operands can use the most that they may.
  bool contested() const { return contested_group() != nullptr; }
  /// Halves the widest range of a contested memory. Empty branches are left out.
  std::vector<CapacityBranch> split() const;

 private:
  struct Range {
    double least = 0, most = infinite;  ///< bits
  };
  using Sizes = std::array<std::vector<std::vector<double>>, max_operands>;

  const MemoryFit::Group* contested_group() const;
  bool narrow();
  bool restrict_to_sizes(const MemoryFit::Group::Member& member);

  const MemoryFit* fit_;
  std::shared_ptr<const Sizes> sizes_;  ///< possible sizes of members of groups, rising
  std::array<std::array<Range, max_memory_levels>, max_operands> ranges_{};
};

}  // namespace zz::core
